package import SegmentLog
package import SensorModel
package import Sessions
import Synchronization

/// Computes results of sessions in the background, in small batches: for each session that ends,
/// and after a start for all sessions without results. So lists and training find them stored. Any
/// thread.
///
///     begin ──▶ all, newest first ──┐
///     note ───▶ due ────────────────┴─▶ a batch a turn of the read pool ─▶ registry
package final class ResultsUpkeep: Sendable {
    private struct State {
        var due: Set<SessionID> = []
        /// Position of the scan over all sessions; `nil`: there is no scan.
        var scan: Scan?
        var isRunning = false
        var isStopped = false
    }

    private struct Scan {
        /// The scan continues with sessions that began before this record; `nil`: with the newest.
        var before: RecordOffset?
    }

    /// Sessions per turn of the pool and per commit of the registry, which costs more than the
    /// computation. A reader that arrives meanwhile has another thread.
    static let batchMax = 64
    /// Limit against a device that creates sessions endlessly; further ones are computed on
    /// request.
    static let dueMax = 4096
    /// Sessions per page of the scan.
    private static let pageMax = 256
    private static let retryAfter = Duration.milliseconds(200)
    /// Pause after a batch, as a multiple of its duration. Upkeep takes at most a fifth of a
    /// processor and of the registry, even after a start with a log of years.
    private static let restFactor = 4
    private static let restMax = Duration.seconds(1)

    private let log: SegmentLog
    private let catalog: SessionCatalog
    private let results: SessionResults
    private let pool: ReadPool
    private let prepare: @Sendable (SessionSummary, ReadPool.Ticket) -> Void
    private let completed: @Sendable (Set<DeviceID>, _ isNews: Bool) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - log: The log.
    ///   - catalog: Its sessions.
    ///   - results: Receives the results.
    ///   - pool: Runs the work.
    ///   - prepare: Called on a thread of the pool with each session that has ended.
    ///   - completed: Called on a thread of the pool with the devices of sessions whose results are
    ///     stored now, and whether one of them ended just now or was requested.
    package init(
        log: SegmentLog, catalog: SessionCatalog, results: SessionResults, pool: ReadPool,
        prepare: @escaping @Sendable (SessionSummary, ReadPool.Ticket) -> Void = { _, _ in },
        completed: @escaping @Sendable (Set<DeviceID>, _ isNews: Bool) -> Void = { _, _ in }
    ) {
        self.log = log
        self.catalog = catalog
        self.results = results
        self.pool = pool
        self.prepare = prepare
        self.completed = completed
    }

    /// Whether no work is left; for tests.
    var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// Scans all sessions, newest first.
    package func begin() {
        state.withLock { $0.scan = Scan() }
        work()
    }

    /// Adds sessions that have ended, and requested ones without results.
    package func note(_ sessions: some Sequence<SessionID>) {
        state.withLock { state in
            for session in sessions where state.due.count < Self.dueMax {
                state.due.insert(session)
            }
        }
        work()
    }

    package func note(_ change: SessionMemory) {
        switch change {
        case .ended(let session, _): note([session])
        // A session that was evicted without an end is skipped: a flood of sessions evicts many.
        case .began, .held, .released: break
        }
    }

    package func stop() {
        state.withLock { $0.isStopped = true }
    }

    // MARK: - Work

    private func work() {
        let isFirst = state.withLock { state in
            guard !state.isRunning, !state.isStopped else { return false }
            state.isRunning = true
            return true
        }
        guard isFirst else { return }
        Task {
            while let due = takeDue() {
                let isGoingOn =
                    due.isEmpty
                    ? await complete(scanned(), isNews: false) : await complete(due: due)
                if !isGoingOn { stop() }
            }
        }
    }

    /// - Returns: Due sessions, empty while only the scan is left; `nil` when no work is left: the
    ///   next caller of ``note(_:)`` starts it again.
    private func takeDue() -> [SessionID]? {
        state.withLock { state in
            guard !state.isStopped, !state.due.isEmpty || state.scan != nil else {
                state.isRunning = false
                return nil
            }
            let due = Array(state.due.prefix(Self.batchMax))
            state.due.subtract(due)
            return due
        }
    }

    /// The next sessions of the scan, without those in memory, which still change.
    private func scanned() -> [SessionSummary] {
        guard let scan = state.withLock({ $0.scan }) else { return [] }
        let page = catalog.page(of: .anybody, before: scan.before, limit: Self.pageMax)
        let last = page.sessions.last?.firstOffset
        state.withLock { state in
            // Another scan may have begun meanwhile.
            guard state.scan?.before == scan.before else { return }
            state.scan = page.more ? Scan(before: last) : nil
        }
        return page.sessions.filter { !catalog.isHeld($0.session) }
    }

    /// - Returns: `false` when the daemon stops.
    private func complete(due: [SessionID]) async -> Bool {
        // Only results of durable records are stored.
        let end = log.nextOffset
        if log.durableEnd < end {
            let last = RecordOffset(rawValue: end.rawValue - 1)
            switch await log.waitUntilDurable(through: last, onFailure: .report) {
            case .reached: break
            case .closed, .cancelled: return false
            // A later request computes the results.
            case .failed, .refused: return true
            }
        }
        return await complete(due.compactMap(catalog.summary), isNews: true)
    }

    /// - Returns: `false` when the daemon stops.
    private func complete(_ sessions: [SessionSummary], isNews: Bool) async -> Bool {
        var left = sessions
        while !left.isEmpty {
            do {
                let rest: Duration
                (left, rest) = try await pool.run(for: .upkeep) { [self, left] ticket in
                    let begin = ContinuousClock.now
                    let rest = try results.complete(
                        left, computingMost: Self.batchMax, isCancelled: { ticket.isCancelled })
                    let done = left.dropLast(rest.count)
                    if isNews { for summary in done { prepare(summary, ticket) } }
                    completed(Set(done.lazy.map(\.device)), isNews)
                    let taken = ContinuousClock.now - begin
                    return (rest, min(taken * Self.restFactor, Self.restMax))
                }
                // Cancelled only when the daemon stops; the pool is not used any more then.
                try? await Task.sleep(for: rest)
            } catch ReadRefusal.cancelled {
                return false
            } catch {
                // Other reads come first.
                try? await Task.sleep(for: Self.retryAfter)
            }
        }
        return true
    }
}
