import SensorModel

/// Elapsed, moving and paused time, which always add up, even after a transition is dated back.
///
/// Elapsed time follows the session's clock. Paused is the time of all pauses, moving the rest.
struct MovingTime: Sendable {
    struct Pause: Hashable, Sendable {
        var start: Timestamp
        var end: Timestamp
        var automatic: Bool
    }

    /// Closed pauses, newest last. Older ones are only in the sum.
    private(set) var recent: [Pause] = []
    private var olderMicroseconds: Int64 = 0
    private var recentMicroseconds: Int64 = 0
    private(set) var open: (start: Timestamp, automatic: Bool)?
    /// Enough to date a transition back by minutes; it bounds the memory.
    private static let recentMax = 32

    var isPaused: Bool { open != nil }

    /// - Returns: The effective start, which is never inside an earlier pause.
    mutating func begin(since: Timestamp, automatic: Bool) -> Timestamp {
        if let open {
            if open.automatic, !automatic { self.open?.automatic = false }
            return open.start
        }
        let start = max(since, recent.last?.end ?? since)
        open = (start, automatic)
        return start
    }

    /// - Returns: The pause that ends, or `nil` if there was none.
    mutating func end(at: Timestamp) -> Pause? {
        guard let open else { return nil }
        let pause = Pause(start: open.start, end: max(at, open.start), automatic: open.automatic)
        self.open = nil
        add(pause)
        return pause
    }

    /// Inserts a pause that is detected only after its end, without overlaps with known pauses.
    mutating func insert(start: Timestamp, end: Timestamp, automatic: Bool) -> Pause? {
        let from = max(start, recent.last?.end ?? start)
        let until = min(end, open?.start ?? end)
        guard from < until else { return nil }
        let pause = Pause(start: from, end: until, automatic: automatic)
        add(pause)
        return pause
    }

    func pausedSeconds(until time: Timestamp) -> Double {
        var sum = olderMicroseconds
        if let newest = recent.last, newest.end > time {
            for pause in recent where pause.start < time {
                sum += min(pause.end, time).microseconds - pause.start.microseconds
            }
        } else {
            sum += recentMicroseconds
        }
        if let open, open.start < time { sum += time.microseconds - open.start.microseconds }
        return Double(sum) / 1_000_000
    }

    private mutating func add(_ pause: Pause) {
        if recent.count == Self.recentMax {
            let oldest = recent.removeFirst()
            let length = oldest.end.microseconds - oldest.start.microseconds
            olderMicroseconds += length
            recentMicroseconds -= length
        }
        recent.append(pause)
        recentMicroseconds += pause.end.microseconds - pause.start.microseconds
    }
}
