public import Ring
public import SensorModel

/// The two rings between the pipeline and one event loop, seen from the pipeline's side.
public final class LoopLink: Sendable {
    public let index: Int
    /// Records of ``InboundMessage``; the pipeline is the one consumer.
    public let inbound: ByteRing

    init(index: Int, inboundBytes: Int, outboundMessages: Int) {
        self.index = index
        inbound = ByteRing(capacity: inboundBytes)
    }

    /// Pipeline thread only. Waits while the ring is full: a loop always empties it, because a
    /// loop never waits for the pipeline.
    public func push(_ message: OutboundMessage) {
    }

    /// Pipeline thread only. Wakes the loop for what was pushed; at most one wake-up is pending.
    public func flush() {
    }
}

extension ConnectionID {
    /// Index of the ``LoopLink`` that reaches the connection.
    public var loop: Int { Int(rawValue >> 56) }
}

extension SubscriberID {
    /// Index of the ``LoopLink`` that reaches the subscriber.
    public var loop: Int { Int(rawValue >> 56) }
}
