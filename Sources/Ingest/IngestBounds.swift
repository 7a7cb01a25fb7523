/// How long and how much a hole in a session's numbers holds back.
public struct IngestBounds: Hashable, Sendable {
    public var holdMicroseconds: Int64 = 2_000_000
    public var holdFramesMax = 1000
    /// Of the frames held for one session.
    public var holdBytesMax = 1 << 20

    public init() {}
}
