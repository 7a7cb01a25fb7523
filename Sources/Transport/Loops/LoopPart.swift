import Sharing

/// What one event loop may hold. The bounds hold for all loops together, so that more loops neither
/// take more memory nor let more frames wait for the pipeline.
public struct LoopPart: Hashable, Sendable {
    /// Capacity of the ring of frames; a power of two.
    public let inboundBytes: Int
    /// Capacity of the ring of messages; a power of two.
    public let outboundMessages: Int
    /// Bytes of events kept for slow viewers.
    public let eventBytes: Int

    /// Messages in the rings of all loops together, unless they are many.
    public static let allMessages = 1 << 14
    /// A turn for 32 frames of devices with 64 shares each fills half of such a ring.
    private static let messagesMin = 1 << 12
    /// Sixteen of the longest frames.
    private static let inboundBytesMin = 64 << 10

    /// - Parameters:
    ///   - loops: Number of loops, 1…16.
    ///   - ringBytes: Capacity of the rings of frames of all loops together. It is rounded down to
    ///     what rings can have; many loops have more together, 64 KiB each.
    ///   - messages: Capacity of the rings of messages of all loops together.
    public init(loops: Int, ringBytes: Int, messages: Int = LoopPart.allMessages) {
        inboundBytes = Self.part(of: ringBytes, loops, min: Self.inboundBytesMin)
        outboundMessages = Self.part(of: messages, loops, min: Self.messagesMin)
        eventBytes = FeedTable.eventBytesMax / loops
    }

    /// Memory of both rings.
    public var ringBytes: Int {
        inboundBytes + outboundMessages * MemoryLayout<OutboundMessage>.stride
    }

    /// The largest power of two within a loop's part of a sum, but at least the smaller of `min`
    /// and the sum.
    private static func part(of sum: Int, _ loops: Int, min: Int) -> Int {
        let wanted = Swift.max(sum / loops, Swift.min(sum, min))
        return 1 << (Int.bitWidth - 1 - wanted.leadingZeroBitCount)
    }
}
