import Runtime
import SensorModel
import Synchronization

/// Deliveries that wait for the receiver. Devices take turns, so that one with thousands of alerts
/// delays no other's. Any thread.
package final class WaitingWebhooks: Sendable {
    fileprivate typealias Queue = FairQueue<DeviceID, DeviceID, Delivery>

    struct Delivery: Sendable {
        let event: WebhookEvent
        fileprivate let device: DeviceID
        fileprivate let number: UInt64
    }

    fileprivate struct State: Sendable {
        var queue = Queue(countMax: countMax, perRequesterMax: countOfDeviceMax)
        var number: UInt64 = 0
        var dropped = 0
        /// Devices with a delivery in progress.
        var trying: Set<DeviceID> = []
        /// The last number given when a session was erased; kept while a delivery waits or is
        /// tried.
        var erased: [String: UInt64] = [:]
        var complainedAt: ContinuousClock.Instant?
    }

    /// Beyond this, newer ones are dropped, first those of the device that has most.
    package static let countMax = 1000
    static let countOfDeviceMax = 100
    /// Deliveries in progress at once, each of another device: while a receiver hangs for 50 s with
    /// one alert, it gets those of other devices.
    static let triesMax = 4
    /// Interval between two complaints about dropped deliveries.
    private static let complaintInterval = Duration.seconds(60)

    private let state = Mutex(State())

    /// - Returns: Deliveries dropped since the last complaint; `nil`: none, or the last complaint
    ///   is less than a minute ago.
    func append(
        _ event: WebhookEvent, of device: DeviceID, at now: ContinuousClock.Instant
    ) -> Int? {
        state.withLock { state in
            state.number += 1
            do throws(Queue.Refusal) {
                let displaced = try state.queue.append(
                    Delivery(event: event, device: device, number: state.number),
                    number: state.number,
                    of: device, from: device)
                guard displaced != nil else { return nil }
            } catch {
                // Dropped, like an evicted one.
            }
            state.dropped += 1
            if let said = state.complainedAt, now - said < Self.complaintInterval { return nil }
            defer { state.dropped = 0 }
            state.complainedAt = now
            return state.dropped
        }
    }

    /// The next delivery in turn; ``ended(_:)`` ends it. `nil`: none waits of a device without one
    /// in progress, or the limit of deliveries in progress is reached.
    func next() -> Delivery? {
        state.withLock { state in
            guard state.trying.count < Self.triesMax else { return nil }
            while let next = state.queue.next({ !state.trying.contains($0) })?.job {
                guard state.isWanted(next) else { continue }
                state.trying.insert(next.device)
                return next
            }
            state.forgetErased()
            return nil
        }
    }

    /// Notes that a delivery was made, or given up.
    func ended(_ delivery: Delivery) {
        state.withLock { state in
            state.trying.remove(delivery.device)
            state.forgetErased()
        }
    }

    /// Drops waiting deliveries of sessions, and those in progress (``isWanted(_:)``). The owner
    /// has erased the sessions, so nothing of them may leave the machine from here on.
    func erase(_ sessions: Set<SessionID>) {
        state.withLock { state in
            // Otherwise there is nothing to drop, and the entries would stay until the next event.
            guard !state.trying.isEmpty || state.queue.count > 0 else { return }
            for session in sessions { state.erased["\(session)"] = state.number }
        }
    }

    /// Whether a delivery may be tried or retried: its session was not erased since.
    func isWanted(_ delivery: Delivery) -> Bool { state.withLock { $0.isWanted(delivery) } }
}

extension WaitingWebhooks.State {
    /// Forgets erased sessions once no delivery waits or is in progress.
    fileprivate mutating func forgetErased() {
        if trying.isEmpty, queue.count == 0 { erased = [:] }
    }

    fileprivate func isWanted(_ delivery: WaitingWebhooks.Delivery) -> Bool {
        erased[delivery.event.session].map { delivery.number > $0 } ?? true
    }
}
