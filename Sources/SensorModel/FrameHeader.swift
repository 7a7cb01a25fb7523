/// The fields in front of every frame's payload.
public struct FrameHeader: Hashable, Sendable {
    public var kind: FrameKind
    public var sequence: FrameSequence
    public var deviceTime: Timestamp

    @inlinable
    public init(kind: FrameKind, sequence: FrameSequence, deviceTime: Timestamp) {
        self.kind = kind
        self.sequence = sequence
        self.deviceTime = deviceTime
    }
}
