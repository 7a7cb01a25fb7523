package import SensorModel
import Synchronization

/// Runs the requests of each device one step at a time on Swift's threads, and bounds them.
///
/// There are as many of these threads as processors, and their queue is first in, first out. Without
/// turns, the 64 connections of one token filled it, and every other request, `/readyz` among them,
/// waited behind 64 answers.
///
/// A step is what a request does between two suspensions. While a request waits, for the log or the
/// disk, the device's next one runs. A request whose connection closes before its turn to begin
/// leaves at once: no connection counts its body any more. One that has begun goes on.
///
///     run ──▶ admitted ──▶ arrivals ──its turn──▶ steps ──▶ result
///      └──▶ too many           └──cancelled──▶ nothing is done
package final class DeviceRequests: Sendable {
    private typealias Turn = CheckedContinuation<Void, any Error>

    /// The requests of one device. One step of them at most is in the queue of Swift's threads.
    private final class Queue: TaskExecutor {
        private struct State {
            /// Steps of requests that have begun.
            var steps: [UnownedJob] = []
            var isRunning = false
            /// Requests that have not begun, the oldest first; empty while nothing runs or begins.
            var arrivals: [(number: UInt64, turn: Turn)] = []
            /// Whether a request has its turn to begin, and its first step has not run.
            var isBeginning = false
            var lastNumber: UInt64 = 0
        }

        private let state = Mutex(State())

        var waitingCount: Int { state.withLock { $0.arrivals.count } }

        /// Waits for a request's turn to begin. Its first step must call ``begun()``.
        ///
        /// - Throws: `CancellationError` if the task is cancelled before.
        func arrive() async throws {
            let number = state.withLock { state in
                state.lastNumber += 1
                return state.lastNumber
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { turn in add(number, turn) }
            } onCancel: {
                let turn = state.withLock { state -> Turn? in
                    guard let place = state.arrivals.firstIndex(where: { $0.number == number })
                    else { return nil }
                    return state.arrivals.remove(at: place).turn
                }
                turn?.resume(throwing: CancellationError())
            }
        }

        private func add(_ number: UInt64, _ turn: Turn) {
            let outcome = state.withLock { state -> Result<Void, any Error>? in
                guard state.isRunning || state.isBeginning else {
                    state.isBeginning = true
                    return .success(())
                }
                // A task that is cancelled later finds its turn among the arrivals.
                guard !Task.isCancelled else { return .failure(CancellationError()) }
                state.arrivals.append((number, turn))
                return nil
            }
            if let outcome { turn.resume(with: outcome) }
        }

        /// Notes that the first step of the request that begins runs.
        func begun() {
            state.withLock { $0.isBeginning = false }
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let isIdle = state.withLock { state in
                state.steps.append(job)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if isIdle { runNext() }
        }

        private func runNext() {
            // A task without a preference runs on Swift's threads, behind those of others.
            Task.detached {
                let job = self.state.withLock { $0.steps.removeFirst() }
                unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
                self.stepEnded()
            }
        }

        /// Goes on with the next step, and lets the oldest arrival begin behind it.
        private func stepEnded() {
            let (hasMore, turn) = state.withLock { state -> (Bool, Turn?) in
                state.isRunning = !state.steps.isEmpty
                guard !state.isBeginning, !state.arrivals.isEmpty else {
                    return (state.isRunning, nil)
                }
                state.isBeginning = true
                return (state.isRunning, state.arrivals.removeFirst().turn)
            }
            if hasMore { runNext() }
            turn?.resume()
        }
    }

    private struct Place {
        let queue = Queue()
        var requests = 0
    }

    private struct State {
        var places: [DeviceID: Place] = [:]
        var room: DeviceRoom
    }

    private struct Admission {
        let queue: Queue
        let hold: DeviceRoom.Hold
    }

    /// Requests of one device that wait or run: as many as it may have connections.
    static let requestsMax = 64
    /// Bytes of the bodies of one device's requests, without short ones; a single body may be
    /// longer.
    static let deviceBytesMax = 2 << 20
    private static let retryAfterSeconds = 1

    private let state: Mutex<State>

    /// - Parameter bodyBytesMax: Length of the longest body.
    package init(bodyBytesMax: Int) {
        let room = DeviceRoom(
            largeBytesMax: Self.largeBytesMax(bodyBytesMax: bodyBytesMax),
            deviceBytesMax: Self.deviceBytesMax)
        state = Mutex(State(room: room))
    }

    /// Bytes of all bodies together, for the budget.
    package static func bytesMax(bodyBytesMax: Int) -> Int {
        largeBytesMax(bodyBytesMax: bodyBytesMax) + DeviceRoom.allSmallBytesMax
    }

    /// Thirteen of the longest bodies, so that one device leaves room for others.
    private static func largeBytesMax(bodyBytesMax: Int) -> Int { 13 * max(1 << 20, bodyBytesMax) }

    /// Number of devices with a request.
    package var deviceCount: Int { state.withLock { $0.places.count } }

    /// Number of requests that have not begun; for tests.
    var waitingCount: Int {
        let queues = state.withLock { $0.places.values.map(\.queue) }
        return queues.reduce(0) { $0 + $1.waitingCount }
    }

    /// Runs a request with a device's token.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - bodyBytes: Length of the request's body, which is held until the request is over.
    ///   - work: The request. It goes on when its task is cancelled, unless it heeds that itself.
    /// - Returns: Its result.
    /// - Throws: ``AdministrationError/tooManyRequests(retryAfterSeconds:)``; `CancellationError` if
    ///   the task is cancelled before the request has begun; errors of `work`.
    package func run<Result: Sendable>(
        for device: DeviceID, bodyBytes: Int,
        _ work: @concurrent @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let admission = admit(device, bodyBytes) else {
            throw AdministrationError.tooManyRequests(retryAfterSeconds: Self.retryAfterSeconds)
        }
        defer { leave(device, admission.hold) }
        let queue = admission.queue
        try await queue.arrive()
        return try await withTaskExecutorPreference(queue) {
            // The optimizer removes a change of executor before work that never suspends.
            await Task.yield()
            queue.begun()
            return try await work()
        }
    }

    /// - Returns: `nil`: there are too many requests, or their bodies are too long.
    private func admit(_ device: DeviceID, _ bodyBytes: Int) -> Admission? {
        state.withLock { state -> Admission? in
            var place = state.places[device] ?? Place()
            guard place.requests < Self.requestsMax,
                let hold = state.room.take(bodyBytes, for: device)
            else { return nil }
            place.requests += 1
            state.places[device] = place
            return Admission(queue: place.queue, hold: hold)
        }
    }

    private func leave(_ device: DeviceID, _ hold: DeviceRoom.Hold) {
        state.withLock { state in
            guard var place = state.places[device] else {
                preconditionFailure("a request left twice")
            }
            place.requests -= 1
            state.places[device] = place.requests > 0 ? place : nil
            state.room.giveBack(hold)
        }
    }
}
