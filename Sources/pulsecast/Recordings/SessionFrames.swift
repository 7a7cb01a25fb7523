import SegmentLog
import SensorModel
import Sessions
import WireFormat

/// The frames of a recorded session, in the order of their own times, and the wearer's profile.
struct SessionFrames {
    private(set) var frames: [Frame] = []
    /// Profile at the end of the session.
    private(set) var profile = RunnerProfile()
    /// Course at the end of the session.
    private(set) var course: Course?

    /// - Throws: ``CommandFailure`` for a session that is missing from the log or cannot be read.
    init(_ session: SessionID, reader: LogReader) throws {
        guard let summary = reader.summary(of: session) else {
            throw CommandFailure("\(SessionReadError.unknownSession(session))")
        }
        var failure: (any Error)?
        try reader.read(summary) { header, payload in
            do {
                try take(header, payload)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw CommandFailure("session \(session) cannot be read: \(failure)") }
        frames.sort { $0.deviceTime < $1.deviceTime }
    }

    private mutating func take(_ header: RecordHeader, _ payload: Span<UInt8>) throws {
        switch try SessionRecord(header, payload: payload) {
        case .head(let head): profile = head.profile
        case .course(let course): self.course = course
        case .frame(let kind):
            let frame = FrameHeader(
                kind: kind, sequence: header.sequence, deviceTime: header.deviceTime)
            frames.append(try FramePayload.decode(frame, payload: payload))
        case .tick, .event, .snapshot: break
        }
    }
}
