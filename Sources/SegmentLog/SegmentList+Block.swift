extension SegmentList {
    struct Block: Sendable {
        static let entriesMax = 256

        private(set) var entries: [SegmentEntry]
        /// The smallest first offset of entries with a header; `.max`: none has one.
        private(set) var firstOffset: UInt64 = .max
        /// The largest end offset.
        private(set) var endOffset: UInt64 = 0

        init(_ entries: [SegmentEntry]) {
            self.entries = entries
            for entry in entries { note(entry) }
        }

        mutating func append(_ entry: SegmentEntry) {
            entries.append(entry)
            note(entry)
        }

        private mutating func note(_ entry: SegmentEntry) {
            firstOffset = Swift.min(firstOffset, entry.header?.firstOffset ?? .max)
            endOffset = Swift.max(endOffset, entry.index.endOffset)
        }

        var numbers: ClosedRange<UInt64> {
            guard let first = entries.first, let last = entries.last else {
                preconditionFailure("a block without a segment")
            }
            return first.number...last.number
        }
    }
}
