import Recordings
import Runtime
import SegmentLog
import SensorModel
import Sessions
import WireFormat

/// Sessions of the run that is imported.
extension ImportService {
    /// Maximum number of sessions of the same hours to compare; the largest overlap comes first.
    private static let comparedMax = 8

    /// The device's sessions of the same run, the one that overlaps most first.
    ///
    /// - Parameters:
    ///   - recording: The file's run.
    ///   - device: The device.
    ///   - isOneEnough: Whether the first of them is all that the caller needs.
    /// - Returns: The sessions.
    /// - Throws: ``ReadRefusal``, ``SegmentLogError``
    func sessions(
        like recording: Recording, of device: DeviceID, isOneEnough: Bool
    ) async throws -> [SessionID] {
        guard let first = recording.frames.first, let last = recording.frames.last else {
            return []
        }
        let times = first.deviceTime...max(first.deviceTime, last.deviceTime)
        let candidates = administration.catalog.sessions(of: device, during: times)
            .map { ($0, RunOverlap.share(times, $0.deviceTimes ?? $0.arrivalTimes)) }
            .filter { $0.1 >= RunOverlap.shareMin }
            .sorted { $0.1 > $1.1 }.prefix(Self.comparedMax).map(\.0)
        guard !candidates.isEmpty else { return [] }
        let log = pipeline.log
        log.flush()
        let match = RecordingMatch(recording.frames)
        let compared = RecordingMatch.window(of: times)
        var found: [SessionID] = []
        for candidate in candidates {
            // Uses the threads for request bodies, so that it delays no reader of the log. A
            // session at a time, so that other devices get their turns in between.
            let isSame = try await pipeline.bodies.run(for: .device(device)) { ticket in
                var match = match
                try Self.read(candidate, during: compared, log.reader(), ticket) { match.note($0) }
                return match.isSameRun
            }
            guard isSame else { continue }
            found.append(candidate.session)
            if isOneEnough { break }
        }
        return found
    }

    /// Reads the frames of a session for a comparison; skips those of other times, and those that
    /// cannot be decoded.
    private static func read(
        _ summary: SessionSummary, during times: ClosedRange<Timestamp>, _ reader: LogReader,
        _ ticket: ReadPool.Ticket, _ body: (Frame) -> Void
    ) throws {
        try reader.read(summary) { header, payload in
            guard !ticket.isCancelled else { return false }
            guard times.contains(header.deviceTime),
                case .frame(let kind) = try? SessionRecord(header, payload: payload)
            else { return true }
            let frame = FrameHeader(
                kind: kind, sequence: header.sequence, deviceTime: header.deviceTime)
            if let frame = try? FramePayload.decode(frame, payload: payload) { body(frame) }
            return true
        }
        guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
    }

    /// - Returns: The erased sessions; the others exceed the limit of deletions, or are gone.
    func erase(_ sessions: [SessionID], of device: DeviceID) async -> [SessionID] {
        var erased: [SessionID] = []
        for session in sessions {
            let isErased = try? await administration.changes.run(
                for: device, changedAt: administration.clock()
            ) { try await administration.deleteSession(session, for: device) }
            if isErased != nil { erased.append(session) }
        }
        return erased
    }
}
