import SegmentLog
import SensorModel
import Sharing
import WireFormat

extension RecordHeader {
    /// Sequence of a session's head that is not its first record: the owner changed the profile.
    static let laterHead = FrameSequence(rawValue: 1)

    /// Reads the marks of a record: a head says that its session begins, or that the profile has
    /// changed. Heads of earlier programs all look like beginnings.
    func marks(_ payload: Span<UInt8>, _ body: (SessionProjection.Mark) -> Void) {
        guard type == .session, !payload.isEmpty, !CourseCodec.isCourse(payload) else { return }
        if sequence == .none { body(.beginning) }
        guard let head = try? SessionHeadCodec.decode(payload) else { return }
        body(.profile(isOnTreadmill: head.profile.treadmill))
    }
}

extension SessionProjection.Mark {
    /// - Returns: `nil` for deleted records, which belonged to other sessions.
    init?(_ gap: LogGap) {
        guard gap.reason != .deleted else { return nil }
        self = .loss
    }
}
