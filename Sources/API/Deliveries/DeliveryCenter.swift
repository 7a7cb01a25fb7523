package import Logging
import Registry
package import Runtime
package import SensorModel
import Synchronization

/// Delivers finished runs to the targets of their device, each once, with retries that survive a
/// restart. Any thread.
///
///     ends of sessions ──▶ registry ──▶ DeliveryQueue ──due──▶ DeliverySender ──▶ targets
package final class DeliveryCenter: Sendable {
    struct State: Sendable {
        var queue = DeliveryQueue()
        /// Sessions that ended, until the registry has their deliveries.
        var ended: [(session: SessionID, device: DeviceID)] = []
        /// Outcomes that the disk did not take.
        var unstored: [Delivery] = []
        /// Runs that were over by then have their deliveries; `nil`: nobody looked yet.
        var lookedAt: Timestamp?
    }

    static let tickSeconds = 10.0
    /// Ends, or outcomes, in memory; beyond it a tick finds the ends.
    static let keptMax = 1000

    let accounts: Accounts
    let logger: Logger
    let clock: @Sendable () -> Timestamp
    let state = Mutex(State())
    let work = WakingWork()

    package init(
        accounts: Accounts, logger: Logger, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.accounts = accounts
        self.logger = logger
        self.clock = clock
    }

    package func stop() { work.stop() }

    /// Takes an event of a session.
    package func take(_ event: StreamEvent, of session: SessionID, from device: DeviceID) {
        // An imported file came from where runs are kept.
        guard case .ended = event.kind, !session.isImported, accounts.hasTargets(device) else {
            return
        }
        state.withLock { state in
            guard state.ended.count < Self.keptMax else { return }
            state.ended.append((session, device))
        }
        work.wake()
    }

    /// Drops deliveries of sessions that are being erased.
    @Sendable package func erase(_ sessions: Set<SessionID>) {
        state.withLock { state in
            state.queue.drop { sessions.contains($0.session) }
            state.ended.removeAll { sessions.contains($0.session) }
        }
    }

    /// Drops deliveries to a target that was removed or changed; those that still wait come back
    /// from the registry.
    func forget(_ target: DeliveryTarget) {
        state.withLock { state in
            state.queue.drop { $0.target == target.id }
            state.queue.noteMissing()
        }
    }

    /// Takes a delivery that the registry has.
    func insert(_ delivery: Delivery) {
        state.withLock { $0.queue.insert(delivery) }
        work.wake()
    }
}
