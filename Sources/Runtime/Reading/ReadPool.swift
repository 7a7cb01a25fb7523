import Foundation
import Glibc
import Synchronization

/// The few threads that read the log for viewers and owners, and build answers from it.
///
/// Live viewers, acks and readiness never wait for them: these threads have a lower priority, and
/// the queue is bounded. Readers get turns by share and requester.
package final class ReadPool: Sendable {
    private typealias Job = @Sendable (_ refusal: ReadRefusal?) -> Void

    private enum Submission {
        case refused(ReadRefusal)
        /// With the evicted job, and whether to wake a thread.
        case queued(Job?, signals: Bool)
    }

    private struct State {
        var queue: FairQueue<ReadParty, ReadRequester, Job>
        var running: [ReadParty: Int] = [:]
        /// Threads that found no ready job.
        var idle = 0
        var isStopped = false
        var lastNumber: UInt64 = 0
    }

    /// Maximum number of threads that one party uses; fewer than all.
    private let runningPerPartyMax: Int
    private let threadCount: Int
    private let state: Mutex<State>
    private let work = DispatchSemaphore(value: 0)

    /// Low priority: reads do not slow fan-out and acks measurably.
    private static let niceness: CInt = 10

    /// - Parameters:
    ///   - threads: At least 2.
    ///   - waitingMax: Waiting jobs in total.
    ///   - waitingPerReaderMax: Waiting jobs of one share or device and requester.
    package init(threads: Int = 2, waitingMax: Int = 256, waitingPerReaderMax: Int = 8) {
        precondition(threads >= 2)
        threadCount = threads
        runningPerPartyMax = threads - 1
        state = Mutex(
            State(queue: FairQueue(countMax: waitingMax, perRequesterMax: waitingPerReaderMax)))
    }

    package func start() {
        for number in 1...threadCount {
            let thread = Thread { [self] in
                // This affects only this thread. If the system refuses, the thread runs at normal
                // priority.
                _ = setpriority(CInt(PRIO_PROCESS.rawValue), 0, Self.niceness)
                while runNext() {}
            }
            thread.name = "reader \(number)"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// Refuses waiting jobs; running ones end by themselves.
    package func stop() {
        let rest = state.withLock { state -> [Job] in
            state.isStopped = true
            var rest: [Job] = []
            while let next = state.queue.next({ _ in true }) { rest.append(next.job) }
            return rest
        }
        for job in rest { job(.cancelled) }
        for _ in 0..<threadCount { work.signal() }
    }

    /// Number of waiting jobs.
    package var waiting: Int { state.withLock { $0.queue.count } }

    /// Number of running jobs; for tests.
    package var running: Int { state.withLock { $0.running.values.reduce(0, +) } }

    /// Runs `body` on one of the threads. Cancelling the task removes its waiting job, or sets the
    /// ticket of a running one.
    ///
    /// - Throws: ``ReadRefusal``, and errors of `body`.
    package func run<Result: Sendable>(
        for party: ReadParty, from requester: ReadRequester = .owner,
        _ body: @escaping @Sendable (Ticket) throws -> Result
    ) async throws -> Result {
        let ticket = Ticket()
        let work = Work(body)
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job: Job = { continuation.resume(with: work.end(ticket, $0)) }
                if let refusal = submit(job, number, ticket, of: party, from: requester) {
                    continuation.resume(throwing: refusal)
                }
            }
        } onCancel: {
            ticket.cancel()
            let job = state.withLock { $0.queue.remove(number, of: party, from: requester) }
            job?(.cancelled)
        }
    }

    private func submit(
        _ job: @escaping Job, _ number: UInt64, _ ticket: Ticket, of party: ReadParty,
        from requester: ReadRequester
    ) -> ReadRefusal? {
        let outcome = state.withLock { state -> Submission in
            // A task that was cancelled before its job was queued takes no place.
            guard !state.isStopped, !ticket.isCancelled else { return .refused(.cancelled) }
            do throws(FairQueue<ReadParty, ReadRequester, Job>.Refusal) {
                let displaced = try state.queue.append(
                    job, number: number, of: party, from: requester)
                guard let displaced else { return .queued(nil, signals: true) }
                // The new job uses the signal of the one that gave way, unless a thread took that
                // signal and found the other not ready.
                guard state.idle > 0 else { return .queued(displaced, signals: false) }
                state.idle -= 1
                return .queued(displaced, signals: true)
            } catch {
                return .refused(error == .full ? .busy : .tooMany)
            }
        }
        switch outcome {
        case .refused(let refusal): return refusal
        case .queued(let displaced, let signals):
            displaced?(.busy)
            if signals { work.signal() }
            return nil
        }
    }

    /// - Returns: `false` when the pool was stopped.
    private func runNext() -> Bool {
        work.wait()
        let (next, isStopped) = state.withLock { state in
            let limit = runningPerPartyMax
            let running = state.running
            let next = state.queue.next { running[$0] ?? 0 < limit }
            if let next {
                state.running[next.party, default: 0] += 1
            } else if state.queue.count > 0 {
                state.idle += 1
            }
            return (next, state.isStopped)
        }
        guard let next else { return !isStopped }
        next.job(nil)
        let owed = state.withLock { state -> Bool in
            let left = (state.running[next.party] ?? 1) - 1
            state.running[next.party] = left > 0 ? left : nil
            guard state.idle > 0 else { return false }
            state.idle -= 1
            return true
        }
        if owed { work.signal() }
        return true
    }
}
