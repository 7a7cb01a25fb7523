import SensorModel

/// Updates of delayed shares, waiting for their time, in bounded memory.
///
/// When there are too many, neighbors are folded together, the older into the newer: nothing is
/// shown early, and what is lost is only how often values are seen to change. Events are kept
/// whole as long as they fit; then the oldest are given up.
public struct HeldUpdates: Sendable {
    private struct Held: Sendable {
        var update: FeedUpdate
        let session: SessionID
        let number: Int
        var due: Timestamp
    }

    /// An hour of one update a second.
    public static let countMax = 3600
    /// However many queues there are.
    public static let countMin = 32
    /// Of all queues together; one is about a kilobyte.
    public static let allMax = 40_000
    static let eventBytesMax = 1024 * 1024

    private var queue: [Held] = []
    /// Everything before it has been taken; removed from the array in bulk.
    private var head = 0
    private var eventBytes = 0
    /// Of the next update: all that were ever appended are counted.
    private(set) var nextNumber = 0

    var nextDue: Timestamp? { head < queue.count ? queue[head].due : nil }

    /// Number of the oldest that waits.
    var oldestNumber: Int? { head < queue.count ? queue[head].number : nil }

    var count: Int { queue.count - head }

    mutating func append(
        _ update: FeedUpdate, of session: SessionID, due: Timestamp, countMax: Int = Self.countMax
    ) {
        queue.append(Held(update: update, session: session, number: nextNumber, due: due))
        nextNumber += 1
        eventBytes += update.event?.count ?? 0
        if count > countMax { thin(to: countMax) }
        if eventBytes > Self.eventBytesMax { giveUpOldEvents() }
    }

    mutating func removeFirst(
        dueBy now: Timestamp
    ) -> (update: FeedUpdate, session: SessionID, number: Int)? {
        guard head < queue.count, queue[head].due <= now else { return nil }
        let held = queue[head]
        head += 1
        eventBytes -= held.update.event?.count ?? 0
        if head > 64, head * 2 > queue.count { dropTaken() }
        return (held.update, held.session, held.number)
    }

    /// The clock was set back: nothing waits longer for it.
    mutating func clockWentBack(byMicroseconds difference: Int64) {
        for index in queue.indices {
            queue[index].due = queue[index].due.advanced(byMicroseconds: -difference)
        }
    }

    private mutating func dropTaken() {
        queue.removeFirst(head)
        head = 0
    }

    /// Folds every second update into its successor, where neither is an event.
    private mutating func thin(to countMax: Int) {
        dropTaken()
        var thinned: [Held] = []
        thinned.reserveCapacity(queue.count)
        var folds = false
        for held in queue {
            if folds, let last = thinned.last, last.update.event == nil,
                held.update.event == nil, !held.update.begins
            {
                var folded = held
                folded.update.fold(in: last.update)
                thinned[thinned.count - 1] = folded
                folds = false
            } else {
                thinned.append(held)
                folds = true
            }
        }
        // Nothing but events: the oldest half goes, so that there is an end to it.
        if thinned.count > countMax {
            let given = thinned.count / 2
            for held in thinned[..<given].reversed() { thinned[given].update.fold(in: held.update) }
            thinned.removeFirst(given)
        }
        queue = thinned
        eventBytes = queue.reduce(0) { $0 + ($1.update.event?.count ?? 0) }
    }

    private mutating func giveUpOldEvents() {
        for index in head..<queue.count where eventBytes > Self.eventBytesMax / 2 {
            guard let event = queue[index].update.event else { continue }
            eventBytes -= event.count
            queue[index].update.event = nil
        }
    }
}

extension FeedUpdate {
    /// Adds what `earlier` changed and this one did not.
    fileprivate mutating func fold(in earlier: FeedUpdate) {
        let keys = Set(changed.map(\.key))
        changed = earlier.changed.filter { !keys.contains($0.key) } + changed
        heartRate = heartRate ?? earlier.heartRate
        urgent = urgent || earlier.urgent
        begins = begins || earlier.begins
    }
}
