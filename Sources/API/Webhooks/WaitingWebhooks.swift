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
        /// Devices of which one is being tried.
        var trying: Set<DeviceID> = []
        /// The last number that was given when a session was erased, while something waits or is tried.
        var erased: [String: UInt64] = [:]
        var complainedAt: ContinuousClock.Instant?
    }

    /// Beyond these newer ones are dropped, above all of the device that has most.
    package static let countMax = 1000
    static let countOfDeviceMax = 100
    /// Deliveries that are tried at once, of as many devices: a receiver that hangs for 50 s with one
    /// alert gets the others' meanwhile.
    static let triesMax = 4
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
                    Delivery(event: event, device: device, number: state.number),
                    number: state.number,
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

    /// The next delivery, in turns, until ``ended(_:)``; `nil`: none waits, of a device of which none
    /// is tried, or as many as may be are tried.
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

    /// Drops what waits of sessions, and what is being tried: see ``isWanted(_:)``. Their owner has
    /// erased them, and nothing of them may leave the machine from here on.
    func erase(_ sessions: Set<SessionID>) {
        state.withLock { state in
            // Else there is nothing to drop, and the sessions would stay until the next event.
            guard !state.trying.isEmpty || state.queue.count > 0 else { return }
            for session in sessions { state.erased["\(session)"] = state.number }
        }
    }

    /// Whether a delivery may be tried, again: its session was not erased since.
    func isWanted(_ delivery: Delivery) -> Bool { state.withLock { $0.isWanted(delivery) } }
}

extension WaitingWebhooks.State {
    /// Once nothing waits or is tried there is nothing to drop.
    fileprivate mutating func forgetErased() {
        if trying.isEmpty, queue.count == 0 { erased = [:] }
    }

    fileprivate func isWanted(_ delivery: WaitingWebhooks.Delivery) -> Bool {
        erased[delivery.event.session].map { delivery.number > $0 } ?? true
    }
}
