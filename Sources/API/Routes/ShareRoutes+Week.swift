import Registry
import Runtime
import SegmentLog
import SensorModel
import Sessions
import Sharing
package import Transport

/// The week strip of a group.
extension ShareRoutes {
    private struct Weeks: Encodable {
        let runners: [RunnerWeek]
    }

    private struct RunnerWeek: Encodable {
        /// Runner's name; only in a group.
        let runner: String?
        let week: TrainingWeek
    }

    /// Longer than any week in any time zone.
    private static let weekSeconds = 9.0 * 86_400

    /// The week of each runner, from sessions that the share may show or might have shown.
    package func week(_ request: HTTPRequest) async -> HTTPResponse {
        switch share(request) {
        case .failure(let refusal): return refusal.response
        case .success(let share):
            let (members, reader, accounts, now) = (
                members(of: share), pipeline.reader, accounts, clock()
            )
            do {
                let weeks = try await reader.pool.run(
                    for: .share(share.key), from: .address(request.peer.key)
                ) { ticket in
                    try members.compactMap { member -> RunnerWeek? in
                        guard let id = member.device, let device = accounts.device(id) else {
                            return nil
                        }
                        let starts = try reader.starts(
                            of: member, device.privacy, since: -Self.weekSeconds, at: now,
                            ticket)
                        return RunnerWeek(
                            runner: share.device == nil ? member.runnerName : nil,
                            week: TrainingWeek(
                                sessionStarts: starts, at: now, timeZone: device.profile.timeZone))
                    }
                }
                return Self.noStore(JSONBody.response(Weeks(runners: weeks)))
            } catch { return ReadAnswer.response(to: error) }
        }
    }
}

extension ShareReader {
    /// Limits the sessions examined for one week.
    private static let weekSessionsMax = 1000

    /// Starts of the sessions of which the share has shown something, in the share's times. Runs on
    /// a thread of the pool.
    fileprivate func starts(
        of share: Share, _ privacy: PrivacySettings, since seconds: Double, at now: Timestamp,
        _ ticket: ReadPool.Ticket
    ) throws -> [Timestamp] {
        let oldest = now.advanced(bySeconds: seconds)
        let seen = now.advanced(bySeconds: -Double(share.delaySeconds))
        let rule = ProjectionRule(share, privacy: privacy)
        guard let device = share.device else { return [] }
        // A device's clock is at most a day ahead: sessions that began earlier belong to an earlier
        // week.
        let recent = catalog.page(of: .device(device), since: oldest, limit: Self.weekSessionsMax)
        return try recent.sessions.compactMap { summary in
            guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
            guard summary.arrivalTimes.lowerBound <= seen,
                summary.arrivalTimes.upperBound >= share.createdAt
            else { return nil }
            guard rule != .everything else {
                return summary.deviceTimes?.lowerBound ?? summary.arrivalTimes.lowerBound
            }
            guard let records = try records(of: summary.session, by: rule, ticket) else {
                guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
                return nil
            }
            let shown = try records.firstShown(arrivedBy: share.shownArrivals(at: now), now: now)
            guard shown.ending != .cancelled else { throw ReadRefusal.cancelled }
            return shown.event?.deviceTime
        }
    }
}
