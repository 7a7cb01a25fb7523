public import Runtime
import ServiceLifecycle

/// Runs a started daemon until a signal ends it: SIGTERM and SIGINT drain it, SIGHUP reloads it.
public struct DaemonRun: Sendable {
    /// Seconds between two upkeeps of in-memory state, and longest interval between watchdog
    /// signals.
    private static let upkeepSeconds = 60.0

    private let daemon: PulsecastDaemon
    private let signals: DaemonSignals
    private let loaded: LoadedConfiguration
    private let reread: @Sendable () throws -> LoadedConfiguration

    /// - Parameters:
    ///   - daemon: Started daemon.
    ///   - signals: Signals, caught since before the daemon started.
    ///   - loaded: Configuration with which it started.
    ///   - reread: Reads the configuration again, on SIGHUP.
    public init(
        _ daemon: PulsecastDaemon, signals: DaemonSignals, loaded: LoadedConfiguration,
        reread: @escaping @Sendable () throws -> LoadedConfiguration
    ) {
        self.daemon = daemon
        self.signals = signals
        self.loaded = loaded
        self.reread = reread
    }

    public func untilStopped() async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: Ending(signals: signals),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                    .init(
                        service: Reloading(
                            daemon: daemon, signals: signals, running: loaded.effective,
                            reread: reread)),
                    .init(service: Upkeep(daemon: daemon)),
                    .init(service: Recovery(daemon: daemon)),
                ], logger: daemon.logger))
        try await group.run()
        await daemon.stop()
        JournalLogHandler.flush()
    }

    /// Ends with the first signal to stop; the other services end with it.
    private struct Ending: Service {
        let signals: DaemonSignals

        func run() async throws {
            for await _ in signals.endings.cancelOnGracefulShutdown() { return }
        }
    }

    private struct Reloading: Service {
        let daemon: PulsecastDaemon
        let signals: DaemonSignals
        let running: [EffectiveValue]
        let reread: @Sendable () throws -> LoadedConfiguration

        func run() async throws {
            var running = running
            for await _ in signals.hangups.cancelOnGracefulShutdown() {
                running = daemon.reload(running, reread: reread)
            }
        }
    }

    /// Retries after a disk failure, at intervals, until every part works.
    private struct Recovery: Service {
        private static let secondsMin = 0.5
        private static let secondsMax = 5.0

        let daemon: PulsecastDaemon

        func run() async throws {
            for await _ in daemon.health.failures.cancelOnGracefulShutdown() {
                await cancelWhenGracefulShutdown {
                    var seconds = Self.secondsMin
                    while !Task.isCancelled, await !daemon.recover() {
                        // Cancellation ends the sleep early, as intended.
                        try? await Task.sleep(for: .seconds(seconds))
                        seconds = min(2 * seconds, Self.secondsMax)
                    }
                }
            }
        }
    }

    /// Periodic work: the watchdog; counts, retention, repairs, results, the catalog.
    private struct Upkeep: Service {
        let daemon: PulsecastDaemon

        func run() async throws {
            let seconds = min(
                upkeepSeconds, (daemon.notifier.watchdogSeconds ?? .infinity) / 3)
            await cancelWhenGracefulShutdown {
                await withTaskGroup { group in
                    // A task of its own: retention and an erasure may take minutes on a slow disk.
                    group.addTask { await Self.each(seconds) { daemon.feedWatchdog() } }
                    group.addTask { await Self.each(seconds) { await daemon.maintain() } }
                }
            }
        }

        private static func each(_ seconds: Double, _ work: () async -> Void) async {
            while !Task.isCancelled {
                await work()
                // Cancellation ends the sleep early, as intended.
                try? await Task.sleep(for: .seconds(seconds))
            }
        }
    }
}
