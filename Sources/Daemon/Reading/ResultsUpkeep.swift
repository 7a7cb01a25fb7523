import SegmentLog
import SensorModel
import Sessions
import Synchronization

/// Computes what sessions amounted to in the background, a few at a time: of each that ends, and after
/// a start of all that miss it. So lists and training find it kept. Any thread.
///
///     begin ──▶ all, newest first ──┐
///     note ───▶ due ────────────────┴─▶ a batch a turn of the read pool ─▶ registry
final class ResultsUpkeep: Sendable {
    private struct State {
        var due: Set<SessionID> = []
        /// Where the look at all sessions goes on; `nil`: there is none.
        var scan: Scan?
        var isRunning = false
        var isStopped = false
    }

    private struct Scan {
        /// Sessions that began before this record are still to be looked at; `nil`: all.
        var before: RecordOffset?
    }

    /// Sessions a turn of the pool, and a commit of the registry, which costs more than they do. A
    /// reader that comes meanwhile has another thread.
    static let batchMax = 64
    /// Of a device that makes sessions without end; those past it are computed when somebody asks.
    static let dueMax = 4096
    /// Sessions of a page of the look at all.
    private static let pageMax = 256
    private static let retryAfter = Duration.milliseconds(200)
    /// After a batch it rests so many times as long as that took: a fifth of a processor and of the
    /// registry at most, also after a start over a log of years.
    private static let restFactor = 4
    private static let restMax = Duration.seconds(1)

    private let log: SegmentLog
    private let catalog: SessionCatalog
    private let results: SessionResults
    private let pool: ReadPool
    private let state = Mutex(State())

    init(log: SegmentLog, catalog: SessionCatalog, results: SessionResults, pool: ReadPool) {
        self.log = log
        self.catalog = catalog
        self.results = results
        self.pool = pool
    }

    /// Whether nothing is left to do. For tests.
    var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// Looks at all sessions, newest first.
    func begin() {
        state.withLock { $0.scan = Scan() }
        work()
    }

    /// Those that have ended, and those of which somebody wanted what is not computed.
    func note(_ sessions: some Sequence<SessionID>) {
        state.withLock { state in
            for session in sessions where state.due.count < Self.dueMax {
                state.due.insert(session)
            }
        }
        work()
    }

    func note(_ change: SessionMemory) {
        switch change {
        case .ended(let session, _): note([session])
        // What leaves memory without an end made room for others: there are many when somebody floods.
        case .began, .held, .released: break
        }
    }

    func stop() {
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
                    due.isEmpty ? await complete(scanned()) : await complete(due: due)
                if !isGoingOn { stop() }
            }
        }
    }

    /// - Returns: None while only the look at all sessions is left; `nil` when nothing is: the next who
    ///   has something begins anew.
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

    /// The next of all sessions. Those in memory still change.
    private func scanned() -> [SessionSummary] {
        guard let scan = state.withLock({ $0.scan }) else { return [] }
        let page = catalog.page(of: .anybody, before: scan.before, limit: Self.pageMax)
        let last = page.sessions.last?.firstOffset
        state.withLock { state in
            // Another look may have begun meanwhile.
            guard state.scan?.before == scan.before else { return }
            state.scan = page.more ? Scan(before: last) : nil
        }
        return page.sessions.filter { !catalog.isHeld($0.session) }
    }

    /// - Returns: `false` when the daemon stops.
    private func complete(due: [SessionID]) async -> Bool {
        // Of what only memory holds the catalog does not know.
        let end = log.nextOffset
        if log.writtenEnd < end {
            let last = RecordOffset(rawValue: end.rawValue - 1)
            switch await log.waitUntilWritten(through: last, onFailure: .report) {
            case .reached: break
            case .closed, .cancelled: return false
            // Who asks later computes it.
            case .failed, .refused: return true
            }
        }
        return await complete(due.compactMap(catalog.summary))
    }

    /// - Returns: `false` when the daemon stops.
    private func complete(_ sessions: [SessionSummary]) async -> Bool {
        var left = sessions
        while !left.isEmpty {
            do {
                let rest: Duration
                (left, rest) = try await pool.run(for: .upkeep) { [results, left] ticket in
                    let begin = ContinuousClock.now
                    let left = try results.complete(
                        left, computingMost: Self.batchMax, isCancelled: { ticket.isCancelled })
                    let taken = ContinuousClock.now - begin
                    return (left, min(taken * Self.restFactor, Self.restMax))
                }
                // Cut short only by a daemon that stops, which asks the pool no more.
                try? await Task.sleep(for: rest)
            } catch ReadRefusal.cancelled {
                return false
            } catch {
                // Others are read first.
                try? await Task.sleep(for: Self.retryAfter)
            }
        }
        return true
    }
}
