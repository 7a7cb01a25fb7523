import SensorModel

/// The deadlines of sessions in a binary heap, the earliest first.
///
/// An entry stays when its deadline moves, so the caller checks the deadline of each entry again.
struct DeadlineQueue {
    struct Entry {
        var time: Timestamp
        var slot: Int
        /// Generation of the slot at insertion: another session may use the slot since.
        var generation: UInt32
    }

    private var entries: [Entry] = []

    var first: Entry? { entries.first }
    var count: Int { entries.count }

    mutating func push(_ entry: Entry) {
        entries.append(entry)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].time < entries[parent].time else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    mutating func popFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].time < entries[smallest].time {
                smallest = child
            }
            guard smallest != parent else { return }
            entries.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
