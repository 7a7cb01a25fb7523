/// Arrival times of records that are not durable yet: since when readers miss something. One mark
/// serves the records of a second.
struct ArrivalMarks: Sendable {
    private struct Mark {
        /// Arrival of its first record, in microseconds of the arrival clock.
        let arrival: Int64
        var lastOffset: UInt64
    }

    private static let spacingMicroseconds: Int64 = 1_000_000

    private var marks: [Mark] = []

    /// Notes an appended record; marks of records before `durableEnd` are dropped.
    mutating func append(arrival: Int64, at offset: UInt64, durableEnd: UInt64) {
        if let last = marks.last,
            (0..<Self.spacingMicroseconds).contains(arrival &- last.arrival)
        {
            marks[marks.count - 1].lastOffset = offset
            return
        }
        marks.removeAll { $0.lastOffset < durableEnd }
        marks.append(Mark(arrival: arrival, lastOffset: offset))
    }

    /// - Returns: Arrival of the first record from `offset` on, or up to a second before it; `nil`:
    ///   there is none.
    func arrival(from offset: UInt64) -> Int64? {
        marks.first { $0.lastOffset >= offset }?.arrival
    }
}
