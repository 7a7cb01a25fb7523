import Runtime
import SensorModel
import Synchronization

/// Deliveries that wait for the receiver. Devices take turns, so that one with thousands of alerts
/// delays no other's. Any thread.
package final class WaitingWebhooks: Sendable {
    private typealias Queue = FairQueue<DeviceID, DeviceID, WebhookEvent>

    private struct State: Sendable {
        var queue = Queue(countMax: countMax, perRequesterMax: countOfDeviceMax)
        var number: UInt64 = 0
        var dropped = 0
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
                    event, number: state.number, of: device, from: device)
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
    func next() -> WebhookEvent? {
        state.withLock { state in state.queue.next { _ in true }?.job }
    }
}
