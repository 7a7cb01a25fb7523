import Dispatch
package import SensorModel
import Sharing
import Synchronization

/// Runs requests that wait for the registry, one after the other, on a thread of its own.
///
/// Requests wait for the disk. On Swift's own threads, of which there is one a processor, two
/// changes held up all other requests.
/// `@concurrent` keeps the work from running where its caller runs. It yields first because the
/// optimizer removes a change of executor before work that never suspends; such work would hold
/// Swift's threads.
package final class ChangeQueue: TaskExecutor {
    private struct State {
        var waiting: [DeviceID: Int] = [:]
        var limiter = DeviceLimiter(countMax: changesMax, windowSeconds: changesWindowSeconds)
    }

    /// Requests of one device that wait or run. Others are refused, so that all devices take turns.
    static let waitingMax = 8
    /// Changes by one device in a window; each is written, logged and read by its live sessions.
    static let changesMax = 100
    static let changesWindowSeconds = 10

    private let queue = DispatchQueue(label: "pulsecast.changes")
    private let state = Mutex(State())

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs a change that the daemon's owner makes.
    ///
    /// - Parameter work: The change; while it is suspended others run.
    /// - Returns: Its result.
    package func run<Result: Sendable>(
        _ work: @concurrent @Sendable () async -> Result
    ) async -> Result {
        await withTaskExecutorPreference(self) {
            await Task.yield()
            return await work()
        }
    }

    /// Runs a request of a device's owner.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - changedAt: Time of the change; `nil`: it only reads.
    ///   - work: The request; while it is suspended others run.
    /// - Returns: Its result.
    /// - Throws: ``AdministrationError/tooManyChanges(retryAfterSeconds:)``; errors of `work`.
    package func run<Result: Sendable>(
        for device: DeviceID, changedAt: Timestamp?,
        _ work: @concurrent @Sendable () async throws -> Result
    ) async throws -> Result {
        if let seconds = enter(device, changedAt: changedAt) {
            throw AdministrationError.tooManyChanges(retryAfterSeconds: seconds)
        }
        defer { leave(device) }
        return try await withTaskExecutorPreference(self) {
            await Task.yield()
            return try await work()
        }
    }

    /// - Returns: Seconds to wait; `nil`: the request is admitted.
    private func enter(_ device: DeviceID, changedAt: Timestamp?) -> Int? {
        state.withLock { state in
            guard state.waiting[device, default: 0] < Self.waitingMax else { return 1 }
            if let changedAt, let seconds = state.limiter.admit(device, at: changedAt) {
                return seconds
            }
            state.waiting[device, default: 0] += 1
            return nil
        }
    }

    private func leave(_ device: DeviceID) {
        state.withLock { state in
            let left = state.waiting[device, default: 0] - 1
            precondition(left >= 0, "a request left twice")
            state.waiting[device] = left > 0 ? left : nil
        }
    }
}
