public import Ring
public import SensorModel

/// The event loops, each with its rings.
public final class LoopGroup: Sendable {
    public let links: [LoopLink]

    /// - Parameters:
    ///   - loopCount: 1…16.
    ///   - inboundBytes: Of each loop's ring of frames; a power of two.
    ///   - outboundMessages: Of each loop's ring of messages; a power of two.
    ///   - doorbell: Rung after each batch of inbound records; the pipeline sleeps on it.
    ///   - arrivalClock: Wall clock, read once a batch.
    public init(
        loopCount: Int = 1, inboundBytes: Int = 4 << 20, outboundMessages: Int = 1 << 14,
        doorbell: Doorbell, arrivalClock: @escaping @Sendable () -> Timestamp
    ) {
        links = (0..<loopCount).map {
            LoopLink(index: $0, inboundBytes: inboundBytes, outboundMessages: outboundMessages)
        }
    }

    /// A way into the pipeline for frames that did not come over a device's own connection: the
    /// push formats' requests. It gives the opening a connection number of its own.
    public func openPushConnection(
        device: DeviceID, session: SessionID, recorded: Bool
    ) async -> PushConnection {
        PushConnection()
    }

    /// Stops the loops' threads. Everything on them must be closed by then.
    public func shutdown() async {
    }
}
