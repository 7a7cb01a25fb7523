/// The waits registered with a log, ordered by offset.
///
/// Pure: it decides which waits have ended and why. ``SegmentLog`` locks it and calls their bodies.
struct LogWaiters: Sendable {
    typealias Body = @Sendable (LogWait) -> Void

    enum Goal: Sendable {
        case written, durable
    }

    /// Progress of the log: its written and its durable end, and its state.
    struct Progress: Sendable {
        var writtenEnd: UInt64
        var durableEnd: UInt64
        var state: LogState
    }

    /// A wait that has ended and whose body must be called.
    struct Ended: Sendable {
        let outcome: LogWait
        let body: Body
    }

    fileprivate struct Waiter: Sendable {
        let goal: Goal
        let offset: UInt64
        let policy: LogFailurePolicy
        let body: Body
    }

    /// Maximum number of waits taken out under one lock: appends and registrations wait meanwhile.
    static let batchMax = 256

    /// Waits by number. A number in a heap that is missing here was cancelled or ended by a
    /// failure.
    private var waiters: [UInt64: Waiter] = [:]
    private var written = OffsetHeap()
    private var durable = OffsetHeap()
    /// Number of `waiters` with ``LogFailurePolicy/report``.
    private var reportCount = 0
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { waiters.isEmpty }

    /// - Returns: The outcome if there is nothing to wait for; else the token of the added wait.
    mutating func add(
        _ goal: Goal, through offset: UInt64, _ policy: LogFailurePolicy, at progress: Progress,
        _ body: @escaping Body
    ) -> (token: LogWaitToken, outcome: LogWait?) {
        let waiter = Waiter(goal: goal, offset: offset, policy: policy, body: body)
        if let outcome = Self.outcome(of: waiter, at: progress) { return (.ended, outcome) }
        guard waiters.count < SegmentLog.waitersMax else { return (.ended, .refused) }
        lastNumber += 1
        waiters[lastNumber] = waiter
        if policy == .report { reportCount += 1 }
        switch goal {
        case .written: written.push(offset, number: lastNumber)
        case .durable: durable.push(offset, number: lastNumber)
        }
        return (LogWaitToken(number: lastNumber), nil)
    }

    /// - Returns: Whether it was still waiting; its body will then not be called.
    mutating func cancel(_ token: LogWaitToken) -> Bool {
        guard remove(token.number) != nil else { return false }
        compact()
        return true
    }

    /// Takes out the waits that `progress` ends, the lowest offset of each goal first. At most
    /// ``batchMax`` reached waits are returned; a caller that gets that many calls again.
    mutating func takeEnded(at progress: Progress) -> [Ended] {
        guard !waiters.isEmpty else { return [] }
        var ended: [Ended] = []
        while let number = written.pop(before: progress.writtenEnd, of: ended.count) {
            if let waiter = remove(number) { ended.append(Ended(.reached, waiter)) }
        }
        while let number = durable.pop(before: progress.durableEnd, of: ended.count) {
            if let waiter = remove(number) { ended.append(Ended(.reached, waiter)) }
        }
        guard ended.count < Self.batchMax else { return ended }
        switch progress.state {
        case .writing: return ended
        case .failed(let error):
            guard reportCount > 0 else { return ended }
            return ended + takeAll(.failed(error)) { $0.policy == .report }
        case .closed:
            return ended + takeAll(.closed) { _ in true }
        }
    }

    /// Runs once per failure and once at the end, so it may visit every wait.
    private mutating func takeAll(
        _ outcome: LogWait, where belongs: (Waiter) -> Bool
    ) -> [Ended] {
        let numbers = waiters.filter { belongs($0.value) }
            .sorted { ($0.value.offset, $0.key) < ($1.value.offset, $1.key) }.map(\.key)
        let ended = numbers.compactMap { number in
            remove(number).map { Ended(outcome, $0) }
        }
        compact()
        return ended
    }

    private mutating func remove(_ number: UInt64) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: number) else { return nil }
        if waiter.policy == .report { reportCount -= 1 }
        return waiter
    }

    /// Removes numbers of ended waits once the heaps hold more than twice the waits plus 64.
    private mutating func compact() {
        let countMax = 2 * waiters.count + 64
        guard written.count + durable.count > countMax else { return }
        written.keep { waiters[$0] != nil }
        durable.keep { waiters[$0] != nil }
    }

    private static func outcome(of waiter: Waiter, at progress: Progress) -> LogWait? {
        let end = waiter.goal == .written ? progress.writtenEnd : progress.durableEnd
        if waiter.offset < end { return .reached }
        switch progress.state {
        case .writing: return nil
        case .failed(let error): return waiter.policy == .report ? .failed(error) : nil
        case .closed: return .closed
        }
    }
}

extension LogWaiters.Ended {
    fileprivate init(_ outcome: LogWait, _ waiter: LogWaiters.Waiter) {
        self.init(outcome: outcome, body: waiter.body)
    }
}
