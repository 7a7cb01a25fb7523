import Foundation
import Glibc
import SensorModel
import Sharing
import Synchronization

/// Who something is read for.
enum ReadParty: Hashable, Sendable {
    case share(ShareKey)
    case device(DeviceID)
    /// Whoever holds the admin socket.
    case administrator
    /// Nobody: what is computed before somebody asks.
    case upkeep
}

/// Who of them asks: each has turns of its own.
enum ReadRequester: Hashable, Sendable {
    case address(AddressKey)
    case viewer(SubscriberID)
    case owner
}

/// Why nothing was read.
enum ReadRefusal: Error, Hashable, Sendable {
    /// One reader asks for too much at once.
    case tooMany
    /// Too many ask at once.
    case busy
    /// The reader is gone, or wants something else by now.
    case cancelled
}

/// The few threads that read the log for viewers and owners, and build answers from it.
///
/// Live viewers, acks and readiness never wait for them: they are others' threads, of a lower
/// priority, and what waits for one is bounded. Readers get their turns by share and requester.
final class ReadPool: Sendable {
    /// Asked between records by whoever reads.
    final class Ticket: Sendable {
        private let flag = Atomic(false)

        var isCancelled: Bool { flag.load(ordering: .relaxed) }

        func cancel() {
            flag.store(true, ordering: .relaxed)
        }
    }

    private typealias Job = @Sendable (_ isRefused: Bool) -> Void

    private struct State {
        var queue: FairQueue<ReadParty, ReadRequester, Job>
        var running: [ReadParty: Int] = [:]
        /// Threads that found nobody ready.
        var idle = 0
        var isStopped = false
        var lastNumber: UInt64 = 0
    }

    /// One party never takes all threads.
    private let runningPerPartyMax: Int
    private let threadCount: Int
    private let state: Mutex<State>
    private let work = DispatchSemaphore(value: 0)

    /// What fan-out and acks yield to readers is nothing that anyone can tell.
    private static let niceness: CInt = 10

    /// - Parameters:
    ///   - threads: At least 2.
    ///   - waitingMax: Jobs that wait, in all.
    ///   - waitingPerReaderMax: Of one share or device and requester.
    init(threads: Int = 2, waitingMax: Int = 256, waitingPerReaderMax: Int = 8) {
        precondition(threads >= 2)
        threadCount = threads
        runningPerPartyMax = threads - 1
        state = Mutex(
            State(queue: FairQueue(countMax: waitingMax, perRequesterMax: waitingPerReaderMax)))
    }

    func start() {
        for number in 1...threadCount {
            let thread = Thread { [self] in
                // Of this thread alone. A system that refuses runs it as any other.
                _ = setpriority(CInt(PRIO_PROCESS.rawValue), 0, Self.niceness)
                while runNext() {}
            }
            thread.name = "reader \(number)"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// Refuses what waits; what runs ends by itself.
    func stop() {
        let rest = state.withLock { state -> [Job] in
            state.isStopped = true
            var rest: [Job] = []
            while let next = state.queue.next({ _ in true }) { rest.append(next.job) }
            return rest
        }
        for job in rest { job(true) }
        for _ in 0..<threadCount { work.signal() }
    }

    /// How many jobs wait.
    var waiting: Int { state.withLock { $0.queue.count } }

    /// How many jobs are being done. For tests.
    var running: Int { state.withLock { $0.running.values.reduce(0, +) } }

    /// Runs `body` on one of the threads. A task that is cancelled has its job taken out, or told.
    ///
    /// - Throws: ``ReadRefusal``, and what `body` throws.
    func run<Result: Sendable>(
        for party: ReadParty, from requester: ReadRequester = .owner,
        _ body: @escaping @Sendable (Ticket) throws -> Result
    ) async throws -> Result {
        let ticket = Ticket()
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job: Job = { isRefused in
                    guard !isRefused, !ticket.isCancelled else {
                        return continuation.resume(throwing: ReadRefusal.cancelled)
                    }
                    continuation.resume(with: Swift.Result { try body(ticket) })
                }
                if let refusal = submit(job, number, ticket, of: party, from: requester) {
                    continuation.resume(throwing: refusal)
                }
            }
        } onCancel: {
            ticket.cancel()
            let job = state.withLock { $0.queue.remove(number, of: party, from: requester) }
            job?(true)
        }
    }

    private func submit(
        _ job: @escaping Job, _ number: UInt64, _ ticket: Ticket, of party: ReadParty,
        from requester: ReadRequester
    ) -> ReadRefusal? {
        let refusal = state.withLock { state -> ReadRefusal? in
            // Cancelled before it was there to be taken out: it takes nobody's place.
            guard !state.isStopped, !ticket.isCancelled else { return .cancelled }
            do throws(FairQueue<ReadParty, ReadRequester, Job>.Refusal) {
                try state.queue.append(job, number: number, of: party, from: requester)
                return nil
            } catch {
                return error == .full ? .busy : .tooMany
            }
        }
        if refusal == nil { work.signal() }
        return refusal
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
        next.job(false)
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
