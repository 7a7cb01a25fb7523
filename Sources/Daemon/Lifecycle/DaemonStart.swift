import CHardware
import Cluster
public import Logging
import Registry
public import Runtime
import Secrets
import SegmentLog
import SensorModel
import Synchronization
import UnixSignals

/// Starts a daemon. While the disk cannot provide its state, has no room for the files of a first
/// start, or another node of the cluster leads, a ``WaitingServer`` answers in its place.
public struct DaemonStart: Sendable {
    /// Called once when the listeners are open: with their addresses, and with the daemon unless it
    /// still waits for the disk.
    public typealias Listening = (_ addresses: [String: String], PulsecastDaemon?) throws -> Void

    /// Time between two attempts.
    private static let interval = Duration.seconds(1)

    private let configuration: Configuration
    private let environment: [String: String]
    private let mustLead: Bool
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: Checked configuration.
    ///   - environment: Environment with systemd's variables.
    ///   - mustLead: Whether a node of a cluster leads at once with the files that it has.
    ///   - logger: Logger of the journal.
    public init(
        _ configuration: Configuration, environment: [String: String], mustLead: Bool = false,
        logger: Logger
    ) {
        self.configuration = configuration
        self.environment = environment
        self.mustLead = mustLead
        self.logger = logger
    }

    /// - Parameter listening: Receives the addresses.
    /// - Returns: A started daemon; `nil`: a signal ended the wait.
    /// - Throws: An error that no wait ends; it says in a sentence what prevents the start.
    public func run(_ listening: Listening) async throws -> PulsecastDaemon? {
        OpenFiles.raise(for: configuration.bounds.connectionsMax)
        pulsecast_return_large_blocks()
        guard configuration.cluster.urls.isEmpty else { return try await standBy(listening) }
        try forgetCluster()
        let daemon: PulsecastDaemon
        do {
            daemon = try open(configuration)
        } catch {
            guard let trouble = trouble(of: error) else { throw error }
            return try await wait(because: trouble, listening)
        }
        try listening(try await daemon.start(), daemon)
        return daemon
    }

    private func open(
        _ configuration: Configuration, _ leadership: Leadership? = nil
    ) throws -> PulsecastDaemon {
        try PulsecastDaemon(
            configuration: configuration, environment: environment, leadership: leadership,
            logger: logger)
    }

    private func wait(
        because trouble: DiskTrouble, _ listening: Listening
    ) async throws -> PulsecastDaemon? {
        let server = try WaitingServer(configuration, environment: environment, logger: logger)
        server.set(trouble)
        return try await answer(with: server, listening) { configuration, isEnded in
            try await opened(configuration, server, isEnded)
        }
    }

    /// A folder that a daemon without the cluster changes is no state of the cluster's any more.
    private func forgetCluster() throws {
        let state = StateFolder(
            configured: configuration.stateDirectory, environment: environment)
        guard state.exists else { return }
        do throws(DiskError) { try NodePosition.forget(on: PosixDisk(path: state.path)) } catch {
            // A disk that takes nothing lets nothing be recorded either.
            guard error.isOfDisk else { throw error }
        }
    }

    /// Stands by in a cluster until this node leads.
    private func standBy(_ listening: Listening) async throws -> PulsecastDaemon? {
        let node = try ClusterNode(configuration, environment: environment, mustLead: mustLead)
        let server = try WaitingServer(
            configuration, environment: environment, node: node, logger: logger)
        node.tell(server)
        return try await answer(with: server, listening) { configuration, isEnded in
            isEnded.onEnding { node.end() }
            guard let term = try await node.standBy() else { return nil }
            let leadership = try Leadership(node, term: term, logger: logger)
            // Recovery of a large log may take longer than the watchdog waits.
            let feeding = Task {
                while !Task.isCancelled {
                    server.feedWatchdog()
                    try? await Task.sleep(for: Self.interval)
                }
            }
            defer { feeding.cancel() }
            guard !isEnded.isOver else { return nil }
            guard let result = attempt(configuration, server, leadership) else {
                throw ClusterStartError.ended("its disk gives no state")
            }
            return try result.get()
        }
    }

    /// Lets a server answer until a daemon can.
    private func answer(
        with server: WaitingServer, _ listening: Listening,
        until open: (Configuration, Ending) async throws -> PulsecastDaemon?
    ) async throws -> PulsecastDaemon? {
        let addresses = try await server.start()
        try listening(addresses, nil)
        let signals = await DaemonSignals()
        let isEnded = Ending()
        let ending = Task {
            for await _ in signals.endings { return isEnded.end() }
        }
        defer { ending.cancel() }
        let daemon: PulsecastDaemon?
        do { daemon = try await open(configuration.listening(at: addresses), isEnded) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
        _ = try await daemon?.start()
        return daemon
    }

    /// Tries until the disk provides the state.
    ///
    /// - Returns: `nil`: a signal ended the wait.
    private func opened(
        _ configuration: Configuration, _ server: WaitingServer, _ isEnded: Ending
    ) async throws -> PulsecastDaemon? {
        while !isEnded.isOver {
            // Cancellation ends the sleep early, as intended.
            try? await Task.sleep(for: Self.interval)
            if let result = attempt(configuration, server) { return try result.get() }
        }
        return nil
    }

    /// - Returns: `nil`: the disk still cannot provide the state.
    private func attempt(
        _ configuration: Configuration, _ server: WaitingServer, _ leadership: Leadership? = nil
    ) -> Result<PulsecastDaemon, any Error>? {
        do { return .success(try open(configuration, leadership)) } catch {
            if let ended = leadership?.ended { return .failure(ended) }
            guard let trouble = trouble(of: error) else { return .failure(error) }
            server.set(trouble)
            return nil
        }
    }

    /// Whether a signal has ended the wait.
    private final class Ending: Sendable {
        private let state = Mutex<(isOver: Bool, action: @Sendable () -> Void)>((false, {}))

        var isOver: Bool { state.withLock { $0.isOver } }

        /// Sets what happens at the end, also if that has come.
        func onEnding(_ action: @escaping @Sendable () -> Void) {
            let isOver = state.withLock { state in
                state.action = action
                return state.isOver
            }
            if isOver { action() }
        }

        func end() {
            let action = state.withLock { state in
                state.isOver = true
                return state.action
            }
            action()
        }
    }

    /// - Returns: The disk's trouble, if it caused the error and the error ends with it; `nil`: a
    ///   person has to act.
    private func trouble(of error: any Error) -> DiskTrouble? {
        switch error {
        case RegistryError.unreadable(let trouble): return trouble
        case SegmentLogError.disk(let error): return error.isOfDisk ? error.trouble : nil
        case is StateFolderError, SecretsError.masterKeyNotCreated,
            SecretsError.masterKeyUnreadable:
            return StateFolder(
                configured: configuration.stateDirectory, environment: environment
            ).diskTrouble
        default: return nil
        }
    }
}

extension Configuration {
    /// - Parameter addresses: Addresses by the listener's name.
    /// - Returns: The same, with the actual port where the configuration takes any free one.
    fileprivate func listening(at addresses: [String: String]) -> Configuration {
        var fixed = self
        func port(_ name: String, _ configured: Int) -> Int {
            let actual = addresses[name]?.split(separator: ":").last.flatMap { Int($0) }
            return configured == 0 ? actual ?? 0 : configured
        }
        fixed.device.port = port("device", device.port)
        fixed.httpListener.port = port("http", httpListener.port)
        fixed.operations.port = port("operations", operations.port)
        return fixed
    }
}
