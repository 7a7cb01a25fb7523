import Registry
import SegmentLog
import SensorModel
import Sessions

extension SessionResults {
    /// A runner changes within three months.
    private static let recentSeconds = 90.0 * 86_400
    /// Sessions looked at for ``RecentRun/countMax`` runs: some have no distance.
    private static let lookedAtMax = 64
    /// A shorter way, in meters, is no run to compare a race with.
    private static let metersMin = 2000.0

    /// A device's last runs with stored results. Reads at most the registry, never the log.
    ///
    /// - Parameters:
    ///   - device: Device of the runs.
    ///   - now: Current time; older runs than three months do not count.
    /// - Returns: Ended runs of 2 km and more, newest first, at most ``RecentRun/countMax``.
    func recentRuns(of device: DeviceID, at now: Timestamp) -> [RecentRun] {
        let sessions = catalog.page(
            of: .device(device), since: now.advanced(bySeconds: -Self.recentSeconds),
            limit: Self.lookedAtMax
        ).sessions
        // A run that was imported beside its recording counts once.
        let runs = RunOverlap.once(sessions) { $0.deviceTimes ?? $0.arrivalTimes }
        let known = known(of: runs)
        return Array(
            runs.lazy.compactMap { known[$0.session]?.totals }.compactMap(Self.run)
                .prefix(RecentRun.countMax))
    }

    private static func run(_ totals: SessionResult.Totals) -> RecentRun? {
        guard totals.state == .ended, let meters = totals.distanceMeters, meters >= metersMin else {
            return nil
        }
        return RecentRun(
            meters: whole(meters), climbMeters: whole(totals.elevationGainMeters ?? 0),
            movingSeconds: whole(totals.movingSeconds))
    }

    /// 0 for a value that is no count.
    private static func whole(_ value: Double) -> Int {
        Int(exactly: value.rounded(.down)).map { max(0, $0) } ?? 0
    }
}
