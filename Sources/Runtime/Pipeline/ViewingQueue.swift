import SensorModel

/// Work for viewers and readers that waits for its part of a turn, first come, first served.
///
/// A viewer's waiting work is dropped when it leaves. So a viewer that reconnects without end
/// leaves nothing behind, and the number of connections bounds the waiting work.
struct ViewingQueue {
    typealias Work = PipelineMailbox.Work

    private struct Entry {
        var work: [Work]
        let subscriber: SubscriberID?
    }

    private var entries: [UInt64: Entry] = [:]
    private var numbers: [SubscriberID: UInt64] = [:]
    /// Numbers in order from `first` on; those of removed entries are skipped.
    private(set) var order: [UInt64] = []
    private var first = 0
    private var lastNumber: UInt64 = 0

    /// Length of `order` from which it is compacted.
    private static let heldMin = 256

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// - Parameters:
    ///   - work: Runs in a turn.
    ///   - subscriber: Viewer that the work opens; one opening at a time.
    /// - Returns: The number by which it can be removed.
    mutating func add(_ work: @escaping Work, of subscriber: SubscriberID? = nil) -> UInt64 {
        lastNumber += 1
        entries[lastNumber] = Entry(work: [work], subscriber: subscriber)
        if let subscriber { numbers[subscriber] = lastNumber }
        order.append(lastNumber)
        return lastNumber
    }

    /// Adds work that must run after a viewer's opening.
    ///
    /// - Returns: `false`: the opening no longer waits.
    mutating func add(_ work: @escaping Work, after subscriber: SubscriberID) -> Bool {
        guard let number = numbers[subscriber] else { return false }
        entries[number]?.work.append(work)
        return true
    }

    /// - Returns: Whether it was waiting.
    mutating func remove(_ number: UInt64) -> Bool {
        guard let entry = entries.removeValue(forKey: number) else { return false }
        if let subscriber = entry.subscriber { numbers[subscriber] = nil }
        forgetRemoved()
        return true
    }

    /// - Returns: Whether its opening was waiting.
    mutating func remove(of subscriber: SubscriberID) -> Bool {
        numbers[subscriber].map { remove($0) } ?? false
    }

    /// - Returns: The work that has waited longest; `nil`: none waits.
    mutating func takeFirst() -> [Work]? {
        while first < order.count {
            let number = order[first]
            first += 1
            guard let entry = entries[number] else { continue }
            _ = remove(number)
            return entry.work
        }
        return nil
    }

    /// Compacts `order` to less than twice the entries: each viewer that comes and goes adds a
    /// number.
    private mutating func forgetRemoved() {
        guard order.count >= Self.heldMin, order.count >= 2 * entries.count else { return }
        order = order[first...].filter { entries[$0] != nil }
        first = 0
    }
}
