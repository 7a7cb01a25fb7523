/// Times at which viewers may be written to again: a heap, the earliest on top.
struct DueTimes<Member> {
    private var heap: [(time: UInt64, member: Member)] = []

    var earliest: UInt64? { heap.first?.time }

    mutating func add(_ member: Member, at time: UInt64) {
        heap.append((time, member))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].time < heap[parent].time else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// - Returns: A member due by `now`; `nil` if there is none.
    mutating func take(by now: UInt64) -> Member? {
        guard let first = heap.first, first.time <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].time < heap[least].time { least = child }
            }
            guard least != parent else { return first.member }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
