package import SensorModel
import Synchronization

/// Runs the requests of each device one step at a time on Swift's threads.
///
/// There are as many of these threads as processors, and their queue is first in, first out. Without
/// turns, the 64 connections of one token filled it, and every other request, `/readyz` among them,
/// waited behind 64 answers.
///
/// A step is what a request does between two suspensions. While a request waits, for the log or the
/// disk, the device's next one runs.
package final class DeviceRequests: Sendable {
    /// The steps of one device. One of them at most is in the queue of Swift's threads.
    private final class Line: TaskExecutor {
        private struct State {
            var waiting: [UnownedJob] = []
            var isRunning = false
        }

        private let state = Mutex(State())

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let isIdle = state.withLock { state in
                state.waiting.append(job)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if isIdle { runNext() }
        }

        private func runNext() {
            // A task without a preference runs on Swift's threads, behind those of others.
            Task.detached {
                let job = self.state.withLock { $0.waiting.removeFirst() }
                unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
                let hasMore = self.state.withLock { state in
                    state.isRunning = !state.waiting.isEmpty
                    return state.isRunning
                }
                if hasMore { self.runNext() }
            }
        }
    }

    private struct Place {
        let line = Line()
        var requests = 0
    }

    private let places = Mutex<[DeviceID: Place]>([:])

    package init() {}

    /// Number of devices with a request.
    package var deviceCount: Int { places.withLock { $0.count } }

    /// Runs a request with a device's token.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - work: The request.
    /// - Returns: Its result.
    /// - Throws: Errors of `work`.
    package func run<Result: Sendable>(
        for device: DeviceID, _ work: @concurrent @Sendable () async throws -> Result
    ) async rethrows -> Result {
        let line = places.withLock { places in
            places[device, default: Place()].requests += 1
            return places[device, default: Place()].line
        }
        defer { leave(device) }
        return try await withTaskExecutorPreference(line) {
            // The optimizer removes a change of executor before work that never suspends.
            await Task.yield()
            return try await work()
        }
    }

    private func leave(_ device: DeviceID) {
        places.withLock { places in
            guard var place = places[device] else { preconditionFailure("a request left twice") }
            place.requests -= 1
            places[device] = place.requests > 0 ? place : nil
        }
    }
}
