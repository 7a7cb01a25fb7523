/// All listeners and what they accepted.
public final class TransportServer: Sendable {
    public let counters = TransportCounters()

    public init(
        loops: LoopGroup, listeners: [ListenerConfiguration], devices: any DeviceGate,
        viewers: any ViewerGate
    ) {
    }

    /// Opens every listener, or none.
    ///
    /// - Returns: The actual address of each, by its configured name: `127.0.0.1:7420`, or a path.
    public func start() async throws(TransportError) -> [String: String] {
        [:]
    }

    /// Refuses new connections; open ones go on.
    public func stopListening() async {
    }

    /// Tells devices to come back (1012) and viewers that we go away (1001), and closes what is
    /// still open after `seconds`. To be called when the log is synced and the last acks are out.
    public func closeAll(withinSeconds seconds: Int = 3) async {
    }
}
