import Foundation
import SegmentLog
import SensorModel
import Sessions
import Sharing

/// Prints a recorded session's events at their own times.
struct SessionPrinter {
    let session: SessionID
    let reader: LogReader
    /// Multiple of the recorded speed; `nil`: without waiting.
    let pace: Double?

    /// - Parameters:
    ///   - from: First device time; `nil`: the session's start.
    ///   - until: Last device time; `nil`: its end.
    /// - Throws: ``CommandFailure`` when the log has no such session.
    func run(from: Double?, until: Double?) async throws {
        guard let summary = reader.summary(of: session), let times = summary.deviceTimes else {
            throw CommandFailure("\(SessionReadError.unknownSession(session))")
        }
        let first = from.flatMap {
            Timestamp(seconds: $0, inRecordingFrom: times.lowerBound)
        }
        let last = until.flatMap {
            Timestamp(seconds: $0, inRecordingFrom: times.lowerBound)
        }
        var events: [(time: Timestamp, json: [UInt8])] = []
        let view = HistoryEncoder(epoch: reader.epoch ?? 1, scope: .all)
        try reader.read(summary) { header, payload in
            guard let record = try? SessionRecord(header, payload: payload),
                case .event(let event) = record,
                first.map({ event.deviceTime >= $0 }) ?? true,
                let json = view.item(of: event, at: header.offset)
            else { return true }
            if let last, event.deviceTime > last { return false }
            events.append((event.deviceTime, json))
            return true
        }
        try await show(events)
    }

    private func show(_ events: [(time: Timestamp, json: [UInt8])]) async throws {
        guard let first = events.first?.time else { return }
        let origin = ContinuousClock.now
        for event in events {
            if let pace {
                let due = origin + .seconds(event.time.seconds(since: first) / pace)
                if due > .now { try await Task.sleep(until: due) }
            }
            Terminal.say(json: event.json)
        }
    }
}
