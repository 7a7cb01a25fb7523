/// A device's own counter of frames in a session, from 1.
public struct FrameSequence: Hashable, Comparable, Sendable {
    public let rawValue: UInt32

    /// "Not counted": 0 on the wire. As an ack: nothing acknowledged yet.
    public static let none = FrameSequence(rawValue: 0)

    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @inlinable public var isCounted: Bool { rawValue != 0 }

    @inlinable
    public static func < (left: FrameSequence, right: FrameSequence) -> Bool {
        left.rawValue < right.rawValue
    }
}
