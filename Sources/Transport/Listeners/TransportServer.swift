import NIOCore
public import SensorModel
import Synchronization

/// All listeners and their connections.
public final class TransportServer: Sendable {
    public let counters: TransportCounters
    private let loops: LoopGroup
    private let listeners: [Listener]
    private let open = Mutex<[String: OpenListener]>([:])

    /// A listener that was asked to open.
    private struct OpenListener {
        /// `nil`: the disk refuses a socket both at the listener's own place and at the spare one.
        var channel: (any Channel)?
        /// The reason why the listener is not at its own place; `nil`: it is.
        var trouble: DiskTrouble?
    }

    public init(
        loops: LoopGroup, listeners: [ListenerConfiguration], devices: any DeviceGate,
        viewers: any ViewerGate
    ) {
        counters = loops.counters
        self.loops = loops
        let admission = ConnectionAdmission(counters: loops.counters)
        self.listeners = listeners.map {
            Listener($0, loops: loops, admission: admission, devices: devices, viewers: viewers)
        }
    }

    /// Routes of an HTTP listener, as in ``Router/patterns``; empty for any other.
    public func routes(of listener: String) -> [String] {
        let configuration = listeners.first { $0.configuration.name == listener }?.configuration
        guard case .http(let router) = configuration?.service else { return [] }
        return router.patterns
    }

    /// Opens every listener, or none. A Unix socket for which the disk has no room opens at its
    /// spare place, or with a later ``reopen()``.
    ///
    /// - Returns: The actual address of each open listener by its configured name:
    ///   `127.0.0.1:7420`, or a path.
    /// - Throws: ``TransportError/cannotListen(listener:address:reason:)``
    public func start() async throws(TransportError) -> [String: String] {
        var addresses: [String: String] = [:]
        for listener in listeners {
            do throws(TransportError) {
                addresses[listener.configuration.name] = try await open(listener)
            } catch {
                await stopListening()
                throw error
            }
        }
        return addresses
    }

    /// - Returns: The listener's address; `nil`: the disk refuses a socket now.
    private func open(_ listener: Listener) async throws(TransportError) -> String? {
        let name = listener.configuration.name
        do throws(TransportError) {
            let channel = try await listener.open()
            let before = open.withLock {
                $0.updateValue(OpenListener(channel: channel), forKey: name)
            }
            // Fails only if the channel is already closed.
            try? await before?.channel?.close()
            return channel.localAddress?.text ?? listener.configuration.address.text
        } catch {
            guard case .diskRefusesSocket(_, let trouble) = error else { throw error }
            if let spare = open.withLock({ $0[name]?.channel }) { return spare.localAddress?.text }
            let channel = await listener.openSpare()
            open.withLock { $0[name] = OpenListener(channel: channel, trouble: trouble) }
            return channel?.localAddress?.text
        }
    }

    /// The reasons why listeners are not at their own place, by name.
    public var displaced: [String: DiskTrouble] {
        open.withLock { $0.compactMapValues(\.trouble) }
    }

    /// Tries again to open the ``displaced`` listeners at their own place.
    ///
    /// - Returns: Their actual addresses, as of ``start()``.
    public func reopen() async -> [String: String] {
        var addresses: [String: String] = [:]
        for listener in listeners where displaced[listener.configuration.name] != nil {
            // After any other failure than the disk's, the listener stays where it is.
            addresses[listener.configuration.name] = try? await open(listener)
        }
        return addresses
    }

    /// Refuses new connections; open ones continue.
    public func stopListening() async {
        let closing = open.withLock { open in
            defer { open = [:] }
            return open.values.compactMap(\.channel)
        }
        // Fails only if the channel is already closed.
        for channel in closing { try? await channel.close() }
    }

    /// Closes all connections. Devices receive 1012 and reconnect, viewers receive `code`.
    /// Connections still open after `seconds` are cut.
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
            // The sleep ends early only in a cancelled task, which may continue at once.
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
        // Fails only on a loop that was shut down; no connection is open there.
        try? await state.eventLoop.submit { body(state.value) }.get()
    }
}
