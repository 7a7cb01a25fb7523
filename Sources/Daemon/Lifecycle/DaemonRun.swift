import ServiceLifecycle
import UnixSignals

/// Runs a started daemon until a signal ends it: SIGTERM and SIGINT drain it, SIGHUP reloads it.
public struct DaemonRun: Sendable {
    /// Between two looks at what is only in memory, and two feedings of the watchdog at most.
    private static let upkeepSeconds = 60.0

    private let daemon: PulsecastDaemon

    public init(_ daemon: PulsecastDaemon) {
        self.daemon = daemon
    }

    public func untilStopped() async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: Reloading(daemon: daemon)),
                    .init(service: Upkeep(daemon: daemon)),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: daemon.logger))
        try await group.run()
        await daemon.stop()
    }

    private struct Reloading: Service {
        let daemon: PulsecastDaemon

        func run() async throws {
            for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
                daemon.reload()
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
