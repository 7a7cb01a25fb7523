/// The earliest arrival of records that are not durable yet: since when readers miss something.
/// Records of several sessions are not in order of their arrival.
struct ArrivalMarks: Sendable {
    private struct Mark {
        /// The earliest arrival of a record after the mark before, or up to a second before it, in
        /// microseconds of the arrival clock.
        let arrival: Int64
        var lastOffset: UInt64
    }

    private static let spacingMicroseconds: Int64 = 1_000_000

    /// Arrivals ascend by a second or more: a mark goes when a later record has an earlier arrival.
    private var marks: [Mark] = []

    /// Notes an appended record; marks of records before `durableEnd` are dropped.
    mutating func append(arrival: Int64, at offset: UInt64, durableEnd: UInt64) {
        while let last = marks.last, last.arrival > arrival { marks.removeLast() }
        if let last = marks.last, arrival &- last.arrival < Self.spacingMicroseconds {
            marks[marks.count - 1].lastOffset = offset
            return
        }
        if let first = marks.first, first.lastOffset < durableEnd {
            marks.removeFirst(marks.prefix { $0.lastOffset < durableEnd }.count)
        }
        marks.append(Mark(arrival: arrival, lastOffset: offset))
    }

    /// - Returns: The earliest arrival of a record from `offset` on, or up to a second before it;
    ///   `nil`: there is none.
    func arrival(from offset: UInt64) -> Int64? {
        marks.first { $0.lastOffset >= offset }?.arrival
    }
}
