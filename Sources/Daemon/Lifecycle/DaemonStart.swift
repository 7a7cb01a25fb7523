import CHardware
public import Logging
import Registry
public import Runtime
import Secrets
import SegmentLog
import SensorModel
import Synchronization
import UnixSignals

/// Starts a daemon. While the disk cannot provide its state, or has no room for the files of a
/// first start, a ``WaitingServer`` answers in its place.
public struct DaemonStart: Sendable {
    /// Called once when the listeners are open: with their addresses, and with the daemon unless it
    /// still waits for the disk.
    public typealias Listening = (_ addresses: [String: String], PulsecastDaemon?) throws -> Void

    /// Time between two attempts.
    private static let interval = Duration.seconds(1)

    private let configuration: Configuration
    private let environment: [String: String]
    private let logger: Logger

    public init(
        _ configuration: Configuration, environment: [String: String], logger: Logger
    ) {
        self.configuration = configuration
        self.environment = environment
        self.logger = logger
    }

    /// - Parameter listening: Receives the addresses.
    /// - Returns: A started daemon; `nil`: a signal ended the wait.
    /// - Throws: An error that no wait ends; it says in a sentence what prevents the start.
    public func run(_ listening: Listening) async throws -> PulsecastDaemon? {
        OpenFiles.raise(for: configuration.bounds.connectionsMax)
        pulsecast_return_large_blocks()
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

    private func open(_ configuration: Configuration) throws -> PulsecastDaemon {
        try PulsecastDaemon(
            configuration: configuration, environment: environment, logger: logger)
    }

    private func wait(
        because trouble: DiskTrouble, _ listening: Listening
    ) async throws -> PulsecastDaemon? {
        let server = try WaitingServer(configuration, environment: environment, logger: logger)
        server.set(trouble)
        let addresses = try await server.start()
        try listening(addresses, nil)
        let signals = await DaemonSignals()
        let isEnded = Ending()
        let ending = Task {
            for await _ in signals.endings { return isEnded.value.store(true, ordering: .relaxed) }
        }
        defer { ending.cancel() }
        let configuration = configuration.listening(at: addresses)
        var opened: Result<PulsecastDaemon, any Error>?
        while opened == nil, !isEnded.value.load(ordering: .relaxed) {
            // Cancellation ends the sleep early, as intended.
            try? await Task.sleep(for: Self.interval)
            opened = attempt(configuration, server)
        }
        await server.stop()
        let daemon = try opened?.get()
        _ = try await daemon?.start()
        return daemon
    }

    /// - Returns: `nil`: the disk still cannot provide the state.
    private func attempt(
        _ configuration: Configuration, _ server: WaitingServer
    ) -> Result<PulsecastDaemon, any Error>? {
        do { return .success(try open(configuration)) } catch {
            guard let trouble = trouble(of: error) else { return .failure(error) }
            server.set(trouble)
            return nil
        }
    }

    private final class Ending: Sendable {
        let value = Atomic(false)
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
