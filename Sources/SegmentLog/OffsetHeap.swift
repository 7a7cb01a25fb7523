/// Numbers ordered by offset: the lowest offset first, for equal offsets the lowest number.
struct OffsetHeap: Sendable {
    private var entries: [(offset: UInt64, number: UInt64)] = []

    var count: Int { entries.count }

    mutating func push(_ offset: UInt64, number: UInt64) {
        entries.append((offset, number))
        var index = entries.count - 1
        while index > 0, entries[index] < entries[(index - 1) / 2] {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// - Parameters:
    ///   - end: Only offsets before this are returned.
    ///   - taken: Number of waits taken so far; after a whole batch nothing is returned.
    /// - Returns: The number; `nil` if there is none before `end`.
    mutating func pop(before end: UInt64, of taken: Int) -> UInt64? {
        guard taken < LogWaiters.batchMax, let first = entries.first, first.offset < end else {
            return nil
        }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            sink()
        }
        return first.number
    }

    mutating func keep(_ belongs: (UInt64) -> Bool) {
        // A sorted array is a heap.
        entries = entries.filter { belongs($0.number) }.sorted { $0 < $1 }
    }

    private mutating func sink() {
        var index = 0
        while true {
            let left = 2 * index + 1
            guard left < entries.count else { return }
            let right = left + 1
            let child = right < entries.count && entries[right] < entries[left] ? right : left
            guard entries[child] < entries[index] else { return }
            entries.swapAt(index, child)
            index = child
        }
    }
}
