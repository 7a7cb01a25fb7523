/// Earliest arrivals of the records that are not durable yet and that readers therefore lack.
///
/// Records of several sessions are not appended in order of their arrival.
struct ArrivalMarks: Sendable {
    private struct Mark {
        /// Earliest arrival of a record after the previous mark, in microseconds of the arrival
        /// clock. It may be up to a second too early.
        let arrival: Int64
        var lastOffset: UInt64
    }

    private static let spacingMicroseconds: Int64 = 1_000_000

    /// Arrivals ascend by a second or more. A record with an earlier arrival removes later marks.
    private var marks: [Mark] = []

    /// Notes an appended record, and drops the marks of records before `durableEnd`.
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
    ///   `nil` if there is none.
    func arrival(from offset: UInt64) -> Int64? {
        marks.first { $0.lastOffset >= offset }?.arrival
    }
}
