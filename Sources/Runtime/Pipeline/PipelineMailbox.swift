package import Ring
package import SensorModel
import Synchronization

/// Work for the pipeline that does not come from a device: subscriptions, administration, pages
/// that need the newest state. It is rare compared with frames, so a lock around an array is
/// enough.
///
/// Work for viewers and readers has a separate queue, of which a turn does a bounded part: one
/// group's link can cause a thousand openings a second of 50 views each.
package final class PipelineMailbox: Sendable {
    package typealias Work = @Sendable (PipelineCore) -> Void

    struct Waiting {
        var work: [Work] = []
        var viewing = ViewingQueue()
        var isClosed = false

        mutating func takeWork() -> [Work] {
            defer { work.removeAll(keepingCapacity: true) }
            return work
        }
    }

    let waiting = Mutex(Waiting())
    let eventCount: EventCount
    /// Takes a turn for one opening on the calling thread; `false`: the pipeline thread has to.
    private let openHere: @Sendable () -> Bool

    package init(
        eventCount: EventCount, openHere: @escaping @Sendable () -> Bool = { false }
    ) {
        self.eventCount = eventCount
        self.openHere = openHere
    }

    package var isEmpty: Bool { waiting.withLock { $0.work.isEmpty && $0.viewing.isEmpty } }

    /// Posts work; any thread. After ``close()`` the work is dropped: the pipeline is gone.
    @discardableResult
    package func post(_ work: @escaping Work) -> Bool {
        let accepted = waiting.withLock { waiting in
            guard !waiting.isClosed else { return false }
            waiting.work.append(work)
            return true
        }
        if accepted { eventCount.ring() }
        return accepted
    }

    // MARK: For viewers and readers

    /// Posts work for a viewer; any thread. Work from a later ``post(_:)`` may run before it.
    ///
    /// - Parameters:
    ///   - subscriber: Viewer that this work opens: see ``dropOpening(of:)``.
    ///   - isBrief: Whether the caller's thread, an event loop, may do the work itself: that takes
    ///     less time than to wake the pipeline thread and to be woken for the result.
    ///   - work: Runs in a turn.
    /// - Returns: `false`: the pipeline is gone.
    @discardableResult
    package func postForViewer(
        _ subscriber: SubscriberID? = nil, isBrief: Bool = false, _ work: @escaping Work
    ) -> Bool {
        guard addForViewer(subscriber, work) != nil else { return false }
        if !isBrief || !openHere() { eventCount.ring() }
        return true
    }

    /// - Returns: `nil`: the pipeline is gone.
    func addForViewer(_ subscriber: SubscriberID?, _ work: @escaping Work) -> UInt64? {
        waiting.withLock { waiting in
            waiting.isClosed ? nil : waiting.viewing.add(work, of: subscriber)
        }
    }

    /// Posts work that must run after a viewer's opening, if the opening still waits.
    package func postAfterOpening(of subscriber: SubscriberID, _ work: @escaping Work) -> Bool {
        waiting.withLock { $0.viewing.add(work, after: subscriber) }
    }

    /// Drops a viewer's opening that still waits.
    ///
    /// - Returns: `false`: it has run, or runs now.
    package func dropOpening(of subscriber: SubscriberID) -> Bool {
        waiting.withLock { $0.viewing.remove(of: subscriber) }
    }

    // MARK: In a turn

    /// Runs posted work, then work for viewers while there is time; only within a turn.
    ///
    /// Work posted in the meantime precedes the next viewer, so that no viewer is shown what an
    /// owner has just hidden.
    ///
    /// - Parameters:
    ///   - core: The pipeline's state.
    ///   - hasTime: Called after each piece of work for a viewer.
    /// - Returns: Pieces of work that ran.
    func run(on core: PipelineCore, while hasTime: () -> Bool) -> Int {
        var done = run(on: core) { $0.takeWork() }
        repeat {
            let ran = run(on: core) { waiting in
                waiting.work.isEmpty ? waiting.viewing.takeFirst() ?? [] : waiting.takeWork()
            }
            guard ran > 0 else { break }
            done += ran
        } while hasTime()
        return done
    }

    /// - Returns: The work for a viewer, if nothing else waits.
    func takeOnlyViewing() -> [Work]? {
        waiting.withLock { waiting in
            waiting.work.isEmpty && waiting.viewing.count == 1 ? waiting.viewing.takeFirst() : nil
        }
    }

    private func run(on core: PipelineCore, _ take: (inout Waiting) -> [Work]) -> Int {
        let work = waiting.withLock { take(&$0) }
        for task in work { task(core) }
        return work.count
    }

    /// Runs earlier work and refuses later work; called after the last turn.
    package func close(on core: PipelineCore) {
        waiting.withLock { $0.isClosed = true }
        _ = run(on: core, while: { true })
    }
}
