import Registry
import SegmentLog
import SensorModel
import Sharing
import Transport

/// The week strip of a group.
extension ShareRoutes {
    private struct Weeks: Encodable {
        let runners: [RunnerWeek]
    }

    private struct RunnerWeek: Encodable {
        /// Only in a group.
        let runner: String?
        let week: TrainingWeek
    }

    /// Of each runner the sessions that the share may show or might have shown, and no others.
    func week(_ request: HTTPRequest) -> HTTPResponse {
        switch share(request) {
        case .failure(let refusal): return refusal.response
        case .success(let share):
            let sessions = Dictionary(grouping: pipeline.log.sessions(), by: \.device)
            let weeks = members(of: share).compactMap { member -> RunnerWeek? in
                guard let id = member.device, let device = accounts.device(id) else { return nil }
                return RunnerWeek(
                    runner: share.device == nil ? member.runnerName : nil,
                    week: week(of: sessions[id] ?? [], shownBy: member, device.profile.timeZone))
            }
            return Self.noStore(JSONBody.response(Weeks(runners: weeks)))
        }
    }

    private func week(
        of sessions: [LoggedSession], shownBy share: Share, _ timeZone: String
    ) -> TrainingWeek {
        let now = clock()
        let seen = now.advanced(bySeconds: -Double(share.delaySeconds))
        let shown = sessions.filter { session in
            session.arrivalTimes.lowerBound <= seen
                && session.arrivalTimes.upperBound >= share.createdAt
        }
        return TrainingWeek(
            sessionStarts: shown.map { $0.deviceTimes?.lowerBound ?? $0.arrivalTimes.lowerBound },
            at: now, timeZone: timeZone)
    }
}
