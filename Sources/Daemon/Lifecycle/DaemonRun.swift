import ServiceLifecycle
import UnixSignals

/// Runs a started daemon until a signal ends it: SIGTERM and SIGINT drain it, SIGHUP reloads it.
public struct DaemonRun: Sendable {
    /// Between two looks at what is only in memory, and two feedings of the watchdog at most.
    private static let upkeepSeconds = 60.0

    private let daemon: PulsecastDaemon
    private let loaded: LoadedConfiguration
    private let reread: @Sendable () throws -> LoadedConfiguration

    /// - Parameters:
    ///   - daemon: Started.
    ///   - loaded: What it was started with.
    ///   - reread: Reads the configuration again, on SIGHUP.
    public init(
        _ daemon: PulsecastDaemon, loaded: LoadedConfiguration,
        reread: @escaping @Sendable () throws -> LoadedConfiguration
    ) {
        self.daemon = daemon
        self.loaded = loaded
        self.reread = reread
    }

    public func untilStopped() async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: Reloading(
                            daemon: daemon, running: loaded.effective, reread: reread)),
                    .init(service: Upkeep(daemon: daemon)),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: daemon.logger))
        try await group.run()
        await daemon.stop()
    }

    private struct Reloading: Service {
        let daemon: PulsecastDaemon
        let running: [EffectiveValue]
        let reread: @Sendable () throws -> LoadedConfiguration

        func run() async throws {
            var running = running
            for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
                running = daemon.reload(running, reread: reread)
            }
        }
    }

    /// What is done now and then: retention, counts, expired shares, the watchdog.
    private struct Upkeep: Service {
        let daemon: PulsecastDaemon

        func run() async throws {
            let seconds = min(
                upkeepSeconds, (daemon.notifier.watchdogSeconds ?? .infinity) / 3)
            await cancelWhenGracefulShutdown {
                while !Task.isCancelled {
                    await daemon.maintain()
                    // Cancellation ends the sleep early, which is what it is for.
                    try? await Task.sleep(for: .seconds(seconds))
                }
            }
        }
    }
}
