import SensorModel

/// Work for viewers and readers that waits for its part of a turn, first come, first served.
///
/// What a viewer has waiting is dropped when it leaves: one that comes and goes as fast as it can
/// leaves nothing behind, and waiting work is bounded by the connections.
struct ViewingQueue {
    typealias Work = PipelineMailbox.Work

    private struct Entry {
        var work: [Work]
        let subscriber: SubscriberID?
    }

    private var entries: [UInt64: Entry] = [:]
    private var numbers: [SubscriberID: UInt64] = [:]
    /// Numbers in order from `first` on; those of removed entries are passed over.
    private(set) var order: [UInt64] = []
    private var first = 0
    private var lastNumber: UInt64 = 0

    /// Fewer numbers are not worth going through.
    private static let heldMin = 256

    var isEmpty: Bool { entries.isEmpty }

    /// - Parameters:
    ///   - work: Runs in a turn.
    ///   - subscriber: Viewer whose opening it is, one at a time.
    /// - Returns: The number by which it can be removed.
    mutating func add(_ work: @escaping Work, of subscriber: SubscriberID? = nil) -> UInt64 {
        lastNumber += 1
        entries[lastNumber] = Entry(work: [work], subscriber: subscriber)
        if let subscriber { numbers[subscriber] = lastNumber }
        order.append(lastNumber)
        return lastNumber
    }

    /// Adds what must come after a viewer's opening.
    ///
    /// - Returns: `false`: the opening does not wait any more.
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

    /// Keeps at most two numbers for each entry that waits, or a few: those who come and go add one each.
    private mutating func forgetRemoved() {
        guard order.count >= Self.heldMin, order.count >= 2 * entries.count else { return }
        order = order[first...].filter { entries[$0] != nil }
        first = 0
    }
}
