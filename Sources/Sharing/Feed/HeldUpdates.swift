import SensorModel

/// Updates of delayed shares that are not due yet, in bounded memory.
///
/// If there are too many, neighbors merge, the older into the newer. Nothing is shown early; only
/// the frequency of changes is lower. Events are kept while they fit; then the oldest are dropped.
public struct HeldUpdates: Sendable {
    private struct Held: Sendable {
        var update: FeedUpdate
        let session: SessionID
        let number: Int
        var due: Timestamp
    }

    /// Maximum updates of a queue: an hour of one update a second.
    public static let countMax = 3600
    /// Minimum limit of a queue, whatever the number of queues.
    public static let countMin = 32
    /// Maximum updates of all queues together; one is about a kilobyte.
    public static let allMax = 40_000
    static let eventBytesMax = 1024 * 1024

    private var queue: [Held] = []
    /// First entry that was not released yet; earlier ones are removed in bulk.
    private var head = 0
    private var eventBytes = 0
    /// Number of the next update, counted over all updates that were ever appended.
    private(set) var nextNumber = 0

    var nextDue: Timestamp? { head < queue.count ? queue[head].due : nil }

    /// Number of the oldest held update.
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

    func contains(_ session: SessionID) -> Bool {
        queue[head...].contains { $0.session == session }
    }

    /// Drops an erased session's held updates. The next session begins with a complete update.
    mutating func remove(_ session: SessionID) {
        dropTaken()
        queue.removeAll { $0.session == session }
        eventBytes = queue.reduce(0) { $0 + ($1.update.event?.count ?? 0) }
    }

    /// Moves due times after the clock was set back, so that nothing waits longer.
    mutating func clockWentBack(byMicroseconds difference: Int64) {
        for index in queue.indices {
            queue[index].due = queue[index].due.advanced(byMicroseconds: -difference)
        }
    }

    private mutating func dropTaken() {
        queue.removeFirst(head)
        head = 0
    }

    /// Merges every second update into its successor, unless one of them is an event.
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
        // If there are only events, the oldest half is dropped to keep the bound.
        if thinned.count > countMax {
            let given = thinned.count / 2
            for held in thinned[..<given].reversed() {
                // Updates before a session's first one belong to another session.
                guard !thinned[given].update.begins else { break }
                thinned[given].update.fold(in: held.update)
            }
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
    /// Adds the changes of `earlier` that this one lacks.
    fileprivate mutating func fold(in earlier: FeedUpdate) {
        let keys = Set(changed.map(\.key))
        changed = earlier.changed.filter { !keys.contains($0.key) } + changed
        heartRate = heartRate ?? earlier.heartRate
        urgent = urgent || earlier.urgent
        begins = begins || earlier.begins
    }
}
