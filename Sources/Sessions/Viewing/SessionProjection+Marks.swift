import SegmentLog
import SensorModel
import Sharing
import WireFormat

extension RecordHeader {
    /// Sequence of a session's head that is not its first record: the owner changed the profile.
    static let laterHead = FrameSequence(rawValue: 1)

    /// Whether this is the first record of its session. Logs of earlier programs have later heads
    /// without a mark.
    func isBeginning(_ payload: Span<UInt8>) -> Bool {
        guard type == .session, sequence == .none, !payload.isEmpty else { return false }
        return payload[0] != CourseCodec.version
    }
}

extension SessionProjection.Mark {
    /// - Returns: `nil` for what was deleted: that was other sessions'.
    init?(_ gap: LogGap) {
        guard gap.reason != .deleted else { return nil }
        self = .loss
    }
}
