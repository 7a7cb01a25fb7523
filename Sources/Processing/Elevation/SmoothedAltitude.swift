import SensorModel

/// An altitude smoothed by a first-order filter, for readings at any interval.
struct SmoothedAltitude: Sendable {
    /// m/s: no runner climbs or descends faster, but a settling receiver's altitude does.
    static let verticalSpeedMax = 1.5

    private(set) var meters: Double?
    private var newest: Timestamp?

    mutating func restart() {
        meters = nil
        newest = nil
    }

    /// - Parameters:
    ///   - measured: Meters above sea level.
    ///   - timeConstant: Seconds.
    ///   - time: Time of the reading.
    /// - Returns: Whether the reading continues the earlier ones. `false` after an impossible
    ///   climb: the receiver is settling, so the filter restarts at the reading.
    mutating func add(_ measured: Double, timeConstant: Double, at time: Timestamp) -> Bool {
        guard let old = meters, let newest else {
            meters = measured
            newest = time
            return true
        }
        let seconds = max(0, time.seconds(since: newest))
        self.newest = max(time, newest)
        if abs(measured - old) > 30 + Self.verticalSpeedMax * seconds {
            meters = measured
            return false
        }
        meters = old + (measured - old) * seconds / (timeConstant + seconds)
        return true
    }
}
