import NIOCore
public import SensorModel
import Synchronization

/// All listeners and what they accepted.
public final class TransportServer: Sendable {
    public let counters: TransportCounters
    private let loops: LoopGroup
    private let listeners: [Listener]
    private let open = Mutex<[any Channel]>([])

    public init(
        loops: LoopGroup, listeners: [ListenerConfiguration], devices: any DeviceGate,
        viewers: any ViewerGate
    ) {
        counters = loops.counters
        self.loops = loops
        let census = ConnectionCensus(counters: loops.counters)
        self.listeners = listeners.map {
            Listener($0, loops: loops, census: census, devices: devices, viewers: viewers)
        }
    }

    /// The routes of a listener of HTTP, as ``Router/patterns`` has them; none for any other.
    public func routes(of listener: String) -> [String] {
        let configuration = listeners.first { $0.configuration.name == listener }?.configuration
        guard case .http(let router) = configuration?.service else { return [] }
        return router.patterns
    }

    /// Opens every listener, or none.
    ///
    /// - Returns: The actual address of each, by its configured name: `127.0.0.1:7420`, or a path.
    /// - Throws: ``TransportError/cannotListen(listener:address:reason:)``
    public func start() async throws(TransportError) -> [String: String] {
        var addresses: [String: String] = [:]
        for listener in listeners {
            do throws(TransportError) {
                let channel = try await listener.open()
                open.withLock { $0.append(channel) }
                addresses[listener.configuration.name] =
                    channel.localAddress?.text ?? listener.configuration.address.text
            } catch {
                await stopListening()
                throw error
            }
        }
        return addresses
    }

    /// Refuses new connections; open ones go on.
    public func stopListening() async {
        let channels = open.withLock { open in
            defer { open = [] }
            return open
        }
        // Fails only where it is closed already.
        for channel in channels { try? await channel.close() }
    }

    /// Tells devices to come back (1012), and viewers `code`; closes what is still open after
    /// `seconds`.
    public func closeAll(
        _ code: CloseCode = .goingAway, withinSeconds seconds: Double = 3
    ) async {
        for state in loops.states {
            await onLoop(state) { loop in
                loop.goodbye = code
                for connection in loop.connections.values { connection.goAway(code) }
            }
        }
        for _ in 0..<Int(seconds * 100) {
            if await connectionCount() == 0 { return }
            // Only a cancelled task cannot sleep; it is in a hurry, too.
            try? await Task.sleep(for: .milliseconds(10))
        }
        for state in loops.states {
            await onLoop(state) { loop in
                for connection in loop.connections.values { connection.abort() }
            }
        }
    }

    private func connectionCount() async -> Int {
        var count = 0
        for state in loops.states { count += await onLoop(state) { $0.connections.count } ?? 0 }
        return count
    }

    @discardableResult
    private func onLoop<Result: Sendable>(
        _ state: NIOLoopBound<LoopState>, _ body: @escaping @Sendable (LoopState) -> Result
    ) async -> Result? {
        // Fails only on a loop that was shut down; nothing is open there.
        try? await state.eventLoop.submit { body(state.value) }.get()
    }
}
