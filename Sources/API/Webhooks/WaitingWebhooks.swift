import Runtime
import SensorModel
import Synchronization

/// Deliveries that wait for the receiver. Devices take turns, so that one with thousands of alerts
/// delays no other's. Any thread.
package final class WaitingWebhooks: Sendable {
    fileprivate typealias Queue = FairQueue<DeviceID, DeviceID, Delivery>

    struct Delivery: Sendable {
        let event: WebhookEvent
        fileprivate let number: UInt64
    }

    fileprivate struct State: Sendable {
        var queue = Queue(countMax: countMax, perRequesterMax: countOfDeviceMax)
        var number: UInt64 = 0
        var dropped = 0
        /// Whether the newest answer of ``WaitingWebhooks/next()`` is being tried.
        var isTrying = false
        /// The last number that was given when a session was erased, while something waits or is tried.
        var erased: [String: UInt64] = [:]
        var complainedAt: ContinuousClock.Instant?
    }

    /// Beyond these newer ones are dropped, above all of the device that has most.
    package static let countMax = 1000
    static let countOfDeviceMax = 100
    /// Between two complaints about dropped ones.
    private static let complaintInterval = Duration.seconds(60)

    private let state = Mutex(State())

    /// - Returns: How many were dropped since this was said last; `nil`: none, or it was said within
    ///   a minute.
    func append(
        _ event: WebhookEvent, of device: DeviceID, at now: ContinuousClock.Instant
    ) -> Int? {
        state.withLock { state in
            state.number += 1
            do throws(Queue.Refusal) {
                let displaced = try state.queue.append(
                    Delivery(event: event, number: state.number), number: state.number,
                    of: device, from: device)
                guard displaced != nil else { return nil }
            } catch {
                // Dropped, as the displaced one.
            }
            state.dropped += 1
            if let said = state.complainedAt, now - said < Self.complaintInterval { return nil }
            defer { state.dropped = 0 }
            state.complainedAt = now
            return state.dropped
        }
    }

    /// The next delivery, in turns; `nil`: none waits.
    func next() -> Delivery? {
        state.withLock { state in
            while let next = state.queue.next({ _ in true })?.job {
                guard state.isWanted(next) else { continue }
                state.isTrying = true
                return next
            }
            state.isTrying = false
            state.erased = [:]
            return nil
        }
    }

    /// Drops what waits of sessions, and what is being tried: see ``isWanted(_:)``. Their owner has
    /// erased them, and nothing of them may leave the machine from here on.
    func erase(_ sessions: Set<SessionID>) {
        state.withLock { state in
            // Else there is nothing to drop, and the sessions would stay until the next event.
            guard state.isTrying || state.queue.count > 0 else { return }
            for session in sessions { state.erased["\(session)"] = state.number }
        }
    }

    /// Whether a delivery may be tried, again: its session was not erased since.
    func isWanted(_ delivery: Delivery) -> Bool { state.withLock { $0.isWanted(delivery) } }
}

extension WaitingWebhooks.State {
    fileprivate func isWanted(_ delivery: WaitingWebhooks.Delivery) -> Bool {
        erased[delivery.event.session].map { delivery.number > $0 } ?? true
    }
}
