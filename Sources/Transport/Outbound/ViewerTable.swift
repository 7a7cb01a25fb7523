import NIOCore
import SensorModel
import Sharing
import Synchronization

/// The viewers of one loop and their feeds. Loop only.
///
/// Updates are applied as they arrive. Each viewer with pending updates is written to once, after
/// the last update of a batch: ``flushChanged()``.
final class ViewerTable {
    private let eventLoop: any EventLoop
    private let counters: TransportCounters
    private let feeds: FeedTable
    private var viewers: [SubscriberID: Viewer] = [:]
    private var watches: [FeedKey: FeedViewers] = [:]
    private var changed: [FeedViewers] = []
    /// Counts the calls of ``flushChanged()``.
    private var round: UInt64 = 0
    private var batches = BroadcastBatches()
    private var batchesAreScheduled = false
    private let pace: BroadcastPace
    /// Called when all broadcasts are complete.
    var broadcastEnded: () -> Void = {}
    /// Number of events on the loop other than broadcasts and acks.
    var othersServed: () -> Int = { 0 }
    /// Counts since the last publication.
    private var (deliveries, writes, merged) = (0, 0, 0)
    private var owed: [EncodedMessage] = []
    private var batch = SharedBatch()
    /// Memory for TLS records.
    private var scratch: [UInt8] = []
    private var due = DueTimes<Viewer>()
    private var dueTask: Scheduled<Void>?
    private var dueTaskTime: UInt64 = .max

    /// Due times are rounded up to this, so that viewers wait together and wake the loop once.
    private static let dueGrain: UInt64 = 10_000_000
    /// Pause between batches: `quiet` if sockets had no work, `busy` if they had. A task that is
    /// due before the loop has run its other tasks would run before the loop reads its sockets; and
    /// a frame takes several rounds of the loop.
    private static let yieldNanoseconds: (quiet: UInt64, busy: UInt64) = (15_000, 200_000)

    /// - Parameters:
    ///   - eventLoop: The viewers' loop.
    ///   - counters: Shared by all loops.
    ///   - pace: Pace of broadcasts.
    ///   - subscriberBytesMax: Bytes of events of a share that a viewer may owe.
    ///   - eventBytesMax: Bytes of events of all shares that the loop keeps for slow viewers.
    init(
        eventLoop: any EventLoop, counters: TransportCounters, pace: BroadcastPace,
        subscriberBytesMax: Int, eventBytesMax: Int
    ) {
        feeds = FeedTable(
            subscriberBytesMax: subscriberBytesMax, eventBytesMax: eventBytesMax)
        self.eventLoop = eventLoop
        self.counters = counters
        self.pace = pace
    }

    private static func now() -> UInt64 { NIODeadline.now().uptimeNanoseconds }

    // MARK: - Viewers

    func add(_ viewer: Viewer) {
        viewers[viewer.id] = viewer
        counters.viewersConnected.wrappingAdd(1, ordering: .relaxed)
    }

    func remove(_ viewer: Viewer) {
        guard viewers.removeValue(forKey: viewer.id) != nil else { return }
        leaveFeeds(viewer)
        counters.viewersConnected.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Writes a viewer's pending updates, before its feeds change.
    ///
    /// - Returns: `nil` if there is no such viewer, or it was too slow and is closed now.
    private func flushed(_ id: SubscriberID) -> Viewer? {
        if let viewer = viewers[id] { flush(viewer) }
        return viewers[id]
    }

    private func leaveFeeds(_ viewer: Viewer) {
        for watch in viewer.watches {
            watch.viewerList.remove(viewer)
            guard watch.viewerList.viewers.isEmpty else { continue }
            feeds.close(watch.feed.key)
            watches[watch.feed.key] = nil
            watch.end()
        }
        viewer.watches = []
        viewer.feeds = []
    }

    // MARK: - From the pipeline

    func apply(_ update: FeedUpdate, to key: FeedKey) {
        guard let watch = watches[key] else { return }
        feeds.apply(update, to: key)
        watch.updates += 1
        if changed.last !== watch { changed.append(watch) }
    }

    func begin(_ id: SubscriberID, feeds opened: [FeedOpening], start: SubscriptionStart) {
        guard let viewer = flushed(id) else { return }
        leaveFeeds(viewer)
        let opened = opened.map { watch($0) }
        viewer.watches = opened.count == 1 ? opened[0].watches : opened
        viewer.feeds = opened.count == 1 ? opened[0].feeds : opened.map(\.feed)
        for watch in opened { watch.viewerList.add(viewer) }
        viewer.seenUpdates = viewer.watches.reduce(0) { $0 + $1.updates }
        viewer.queue = DeliveryState(
            rateHz: Double(viewer.rateHertz), place: start.inGroup ? .inGroup : .alone,
            catchingUp: start.catchingUp)
        owed.removeAll(keepingCapacity: true)
        for event in start.preface {
            owed.append(EncodedMessage(json: event.json, cursor: event.cursor))
        }
        viewer.queue.begin(
            viewer.feeds, at: Self.now(), resumedAt: start.resumedAt, into: &owed)
        write(to: viewer)
    }

    /// Opens a feed unless it is open: other viewers' pending updates of it must not be lost.
    private func watch(_ opening: FeedOpening) -> FeedViewers {
        if let open = watches[opening.key] { return open }
        let made = FeedViewers(
            feeds.open(opening.key, runnerName: opening.runnerName, snapshot: opening.snapshot))
        watches[opening.key] = made
        return made
    }

    func catchUp(_ id: SubscriberID, _ events: [EncodedEvent]) {
        guard let viewer = viewers[id] else { return }
        owed.removeAll(keepingCapacity: true)
        for event in events {
            owed.append(EncodedMessage(json: event.json, cursor: event.cursor))
        }
        viewer.isCatchingUp = true
        write(to: viewer)
        if !viewer.sink.isQueueing { askForMore(viewer) }
    }

    func caughtUp(_ id: SubscriberID) {
        guard let viewer = viewers[id] else { return }
        viewer.isCatchingUp = false
        viewer.queue.caughtUp()
        flush(viewer)
    }

    func end(_ key: FeedKey, _ code: CloseCode) {
        for viewer in watches[key]?.viewerList.viewers ?? [] { close(viewer.id, code) }
    }

    func close(_ id: SubscriberID, _ code: CloseCode) {
        if let viewer = flushed(id) { close(viewer, code) }
    }

    private func close(_ viewer: Viewer, _ code: CloseCode) {
        guard viewers[viewer.id] != nil else { return }
        remove(viewer)  // The socket may take a while to close; nothing more is written to it.
        counters.countClosedViewer(code)
        viewer.end(code)
    }

    // MARK: - Writing

    /// Whether a broadcast is incomplete.
    var isBroadcasting: Bool { !batches.isEmpty }

    /// Writes once to every viewer of any changed feed; in large audiences the first piece is
    /// written now, the others soon after.
    func flushChanged() {
        guard !changed.isEmpty else {
            if writes > 0 { publishCounts() }
            return
        }
        round += 1
        for watch in changed {
            // A copy, because a viewer that is closed leaves the watch's own list.
            let viewerList = watch.viewerList
            let count = viewerList.viewers.count
            guard count <= pace.viewers else {
                batches.add(watch, round: round)
                continue
            }
            flush(BroadcastBatches.Piece(viewerList: viewerList, range: 0..<count, round: round))
        }
        changed.removeAll(keepingCapacity: true)
        // A running broadcast continues with its next scheduled batch.
        if !batchesAreScheduled { writeBatches() }
        publishCounts()
    }

    private func flush(_ piece: BroadcastBatches.Piece) {
        let now = Self.now()
        piece.viewerList.forEach(in: piece.range) { viewer in
            // A closed viewer has no feeds.
            guard viewer.round < piece.round, !viewer.watches.isEmpty else { return }
            viewer.round = round
            flush(viewer, at: now)
        }
    }

    private func scheduleBatches() {
        guard !batches.isEmpty, !batchesAreScheduled else { return }
        batchesAreScheduled = true
        let served = othersServed()
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: .nanoseconds(Int64(Self.yieldNanoseconds.quiet))) {
            let table = bound.value
            if table.othersServed() == served {
                table.continueBroadcast()
            } else {
                let rest = TimeAmount.nanoseconds(Int64(Self.yieldNanoseconds.busy))
                table.eventLoop.scheduleTask(in: rest) { bound.value.continueBroadcast() }
            }
        }
    }

    private func continueBroadcast() {
        batchesAreScheduled = false
        writeBatches()
        publishCounts()
        if !isBroadcasting { broadcastEnded() }
    }

    private func writeBatches() {
        let end = Self.now() + pace.nanoseconds
        while let piece = batches.take(pace.viewers) {
            flush(piece)
            if Self.now() >= end { break }
        }
        scheduleBatches()
    }

    /// Publishes once per batch: an atomic addition per viewer would be noticeable.
    private func publishCounts() {
        counters.deliveries.wrappingAdd(deliveries, ordering: .relaxed)
        counters.viewerWrites.wrappingAdd(writes, ordering: .relaxed)
        counters.updatesMerged.wrappingAdd(merged, ordering: .relaxed)
        (deliveries, writes, merged) = (0, 0, 0)
    }

    /// Called when the socket has taken all queued bytes.
    func drained(_ viewer: Viewer) {
        viewer.queue.becameWritable()
        flush(viewer)
        if viewer.isCatchingUp, !viewer.sink.isQueueing { askForMore(viewer) }
    }

    private func askForMore(_ viewer: Viewer) {
        viewer.isCatchingUp = false
        viewer.gate.readyForMore(viewer.id, watching: viewer.key)
    }

    private func flush(_ viewer: Viewer) {
        flush(viewer, at: Self.now())
    }

    private func flush(_ viewer: Viewer, at now: UInt64) {
        owed.removeAll(keepingCapacity: true)
        switch viewer.queue.flush(viewer.feeds, at: now, into: &owed) {
        case .idle: break
        case .write:
            countMerged(viewer)
            write(to: viewer)
        case .wait(let time): wait(viewer, until: time)
        case .disconnect(let code): close(viewer, code)
        }
    }

    /// Counts updates that the viewer never receives one by one, because newer ones replace them in
    /// this write.
    private func countMerged(_ viewer: Viewer) {
        var updates = 0
        for watch in viewer.watches { updates += watch.updates }
        merged += max(0, updates - viewer.seenUpdates - owed.count)
        viewer.seenUpdates = updates
    }

    private func write(to viewer: Viewer) {
        guard !owed.isEmpty else { return }
        deliveries += owed.count
        writes += 1
        guard send(to: viewer) == .queued else { return }
        viewer.queue.becameUnwritable(at: Self.now())
        // This exceeds the time a viewer may be blocked: if it still is then, it is closed.
        wait(viewer, until: Self.now() + DeliveryState.blockedNanosecondsMax + Self.dueGrain)
    }

    private func send(to viewer: Viewer) -> ViewerSink.Outcome {
        guard viewer.sink.hasTLS else {
            return viewer.sink.write(batch.bytes(of: owed, viewer.form))
        }
        if viewer.sink.makesRecords, let inner = batch.inner(of: owed, viewer.form) {
            return viewer.sink.write(inner: inner, using: &scratch)
        }
        return viewer.sink.write(batch.buffer(of: owed, viewer.form))
    }

    // MARK: - Time

    private func wait(_ viewer: Viewer, until time: UInt64) {
        guard !viewer.isDue else { return }
        viewer.isDue = true
        let rounded = (time + Self.dueGrain - 1) / Self.dueGrain * Self.dueGrain
        due.add(viewer, at: rounded)
        schedule()
    }

    /// - Parameter notBefore: Sockets are served until then. Nanoseconds of the uptime clock.
    private func schedule(notBefore: UInt64 = 0) {
        guard let next = due.earliest else { return }
        let earliest = max(next, notBefore)
        guard earliest < dueTaskTime else { return }
        dueTask?.cancel()
        dueTaskTime = earliest
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        dueTask = eventLoop.scheduleTask(deadline: .uptimeNanoseconds(earliest)) {
            bound.value.flushDue()
        }
    }

    private func flushDue() {
        dueTaskTime = .max
        let start = Self.now()
        var count = 0
        while let viewer = due.take(by: start) {
            viewer.isDue = false
            if viewers[viewer.id] != nil { flush(viewer, at: start) }
            count += 1
            if count % pace.viewers == 0, Self.now() >= start + pace.nanoseconds { break }
        }
        publishCounts()
        schedule(notBefore: Self.now() + Self.yieldNanoseconds.busy)
    }
}
