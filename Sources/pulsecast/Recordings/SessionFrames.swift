import Replay
import SegmentLog
import SensorModel
import WireFormat

/// The frames of a recorded session, in the order of their own times, and the wearer's profile.
struct SessionFrames {
    private(set) var frames: [Frame] = []
    /// As it was when the session ended.
    private(set) var profile = RunnerProfile()
    /// As it was when the session ended.
    private(set) var course: Course?

    /// - Throws: ``CommandFailure`` for a session that the log does not have or that cannot be read.
    init(_ session: SessionID, reader: LogReader) throws {
        guard let summary = reader.summary(of: session) else {
            throw CommandFailure("\(ReplayError.unknownSession(session))")
        }
        var failure: (any Error)?
        try reader.read(from: summary.firstOffset, session: session) { header, payload in
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
