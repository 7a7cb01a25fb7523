import Logging
public import Runtime
import ServiceLifecycle
import Synchronization

/// Runs a started daemon until a signal ends it: SIGTERM and SIGINT drain it, SIGHUP reloads it.
public struct DaemonRun: Sendable {
    /// Seconds between two upkeeps of in-memory state, and longest interval between watchdog
    /// signals.
    private static let upkeepSeconds = 60.0

    private let daemon: PulsecastDaemon
    private let signals: DaemonSignals
    private let loaded: LoadedConfiguration
    private let reread: @Sendable () throws -> LoadedConfiguration
    private let wasTold = Told()

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

    /// - Throws: ``ClusterStartError/ended(_:)``: the daemon led a cluster and does no longer.
    public func untilStopped() async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: Leading(daemon: daemon),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                    .init(
                        service: Ending(signals: signals, wasTold: wasTold),
                        successTerminationBehavior: .gracefullyShutdownGroup),
                    .init(
                        service: Reloading(
                            daemon: daemon, signals: signals, running: loaded.effective,
                            reread: reread)),
                    .init(service: Upkeep(daemon: daemon)),
                    .init(service: Recovery(daemon: daemon)),
                ], logger: daemon.logger))
        try await group.run()
        let isComplete = await daemon.stop()
        defer { JournalLogHandler.flush() }
        do { try daemon.leadership?.end(isComplete: isComplete) } catch {
            // Who has told the process to end does not want it to be started again.
            guard wasTold.value.load(ordering: .acquiring) else { throw error }
            daemon.logger.warning("\(error)")
        }
    }

    /// Whether a signal has ended the daemon.
    private final class Told: Sendable {
        let value = Atomic(false)
    }

    /// Ends when the node does not lead any more, or is asked to let another lead. Without a
    /// cluster it ends with the others.
    private struct Leading: Service {
        private static let interval = Duration.milliseconds(500)
        /// Rounds with a failing disk after which another node is to lead: 5 s.
        private static let roundsFailing = 10

        let daemon: PulsecastDaemon

        func run() async throws {
            guard let leadership = daemon.leadership else { return try await gracefulShutdown() }
            await cancelWhenGracefulShutdown {
                await withTaskGroup { group in
                    group.addTask { for await _ in leadership.endings { return } }
                    group.addTask {
                        var failing = 0
                        while !Task.isCancelled {
                            await daemon.pipeline.background.run { leadership.upkeep() }
                            daemon.health.set(.cluster, leadership.trouble)
                            failing = daemon.health.hasDiskTrouble ? failing + 1 : 0
                            if failing >= Self.roundsFailing, leadership.hasFollower {
                                leadership.giveWay(because: "its disk takes nothing")
                                return
                            }
                            // Cancellation ends the sleep early, as intended.
                            try? await Task.sleep(for: Self.interval)
                        }
                    }
                    await group.next()
                    group.cancelAll()
                }
            }
        }
    }

    /// Ends with the first signal to stop; the other services end with it.
    private struct Ending: Service {
        let signals: DaemonSignals
        let wasTold: Told

        func run() async throws {
            for await _ in signals.endings.cancelOnGracefulShutdown() {
                return wasTold.value.store(true, ordering: .releasing)
            }
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
