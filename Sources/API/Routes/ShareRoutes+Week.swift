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
            let begin = ContinuousClock.now
            let (members, reader, now) = (members(of: share), pipeline.reader, clock())
            let runners = members.compactMap { member -> (source: CatchUp.Source, zone: String)? in
                guard let id = member.device, let device = accounts.device(id) else { return nil }
                let source = CatchUp.Source(
                    share: member, privacy: device.privacy, sessions: [],
                    end: RecordOffset(rawValue: 0))
                return (source, device.profile.timeZone)
            }
            do {
                let weeks = try await reader.pool.run(
                    for: .share(share.key), from: .address(request.peer.key)
                ) { ticket in
                    try runners.map { source, zone in
                        var week = TrainingWeek(at: now, timeZone: zone)
                        try reader.addStarts(
                            of: source, since: -Self.weekSeconds, at: now, to: &week, ticket)
                        return RunnerWeek(
                            runner: share.device == nil ? source.share.runnerName : nil,
                            week: week)
                    }
                }
                try await confirm(runners.map(\.source), for: share)
                try await AnswerStep.wait(since: begin)
                return Self.noStore(JSONBody.response(Weeks(runners: weeks)))
            } catch { return ReadAnswer.response(to: error) }
        }
    }
}

extension ShareReader {
    /// Maximum number of sessions examined for one week.
    private static let weekSessionsMax = 1000
    /// Maximum number of sessions read for one week, of those that might add a day. If that many
    /// add none, days of older sessions are left out.
    private static let weekReadsMax = 64

    /// Adds the first visible times of sessions of which the share has shown something. A session
    /// that cannot add a day is not read. Runs on a thread of the pool.
    fileprivate func addStarts(
        of source: CatchUp.Source, since seconds: Double, at now: Timestamp,
        to week: inout TrainingWeek, _ ticket: ReadPool.Ticket
    ) throws {
        let (share, rule) = (source.share, source.rule)
        let oldest = now.advanced(bySeconds: seconds)
        let seen = now.advanced(bySeconds: -Double(share.delaySeconds))
        guard let device = share.device else { return }
        // A device's clock is at most a day ahead: sessions that began earlier belong to an earlier
        // week.
        let recent = catalog.page(of: .device(device), since: oldest, limit: Self.weekSessionsMax)
        var reads = 0
        for summary in recent.sessions where reads < Self.weekReadsMax {
            guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
            let times = summary.deviceTimes ?? summary.arrivalTimes
            guard summary.arrivalTimes.lowerBound <= seen, source.mayShow(summary),
                !week.knows(times)
            else { continue }
            // Records that arrive late do not tell whether the session ended before the share was
            // made.
            if summary.arrivalTimes.lowerBound < share.createdAt,
                let end = try end(of: summary.session, ticket), end < share.createdAt
            {
                continue
            }
            // Otherwise the session's times include records that the share does not show yet.
            guard rule != .everything || summary.arrivalTimes.upperBound > seen else {
                week.add(sessionStart: times.lowerBound)
                continue
            }
            reads += 1
            guard let records = try records(of: summary.session, by: rule, ticket) else {
                guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
                continue
            }
            let shown = try records.firstShown(arrivedBy: share.shownArrivals(at: now), now: now)
            guard shown.ending != .cancelled else { throw ReadRefusal.cancelled }
            if let first = shown.event { week.add(sessionStart: first.event.deviceTime) }
        }
    }
}
