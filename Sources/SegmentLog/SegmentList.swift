import Bytes

/// The segments of a log, oldest first.
///
/// The newest is stored separately, the others in blocks that copies share. So a copy is free and a
/// change is cheap, for any number of segments.
struct SegmentList: Sendable {
    /// Blocks of all segments but ``last``; none is empty.
    private(set) var blocks: [Block] = []
    var last: SegmentEntry?
    /// Numbers, ascending, of the segments at which reading cannot continue from the one before:
    /// they have no header, or the one before is missing though an older one is not.
    private(set) var breaks: [UInt64] = []

    init(_ entries: [SegmentEntry]) {
        var numbers: Set<UInt64> = []
        for entry in entries {
            if Self.isBreak(entry, from: entries[0].number, having: numbers) {
                breaks.append(entry.number)
            }
            numbers.insert(entry.number)
            append(entry)
        }
    }

    /// Whether reading cannot continue at `entry` from the segment before it.
    ///
    /// A takeover names the newest segment with offsets as its predecessor. Retention may have
    /// removed that and kept an empty one after it.
    private static func isBreak(
        _ entry: SegmentEntry, from first: UInt64, having numbers: Set<UInt64>
    ) -> Bool {
        guard let header = entry.header else { return true }
        return header.previous > first && !numbers.contains(header.previous)
    }

    var isEmpty: Bool { last == nil }
    var count: Int { blocks.reduce(last == nil ? 0 : 1) { $0 + $1.entries.count } }
    var first: SegmentEntry? { blocks.first?.entries.first ?? last }

    /// The segment before the newest.
    var beforeLast: SegmentEntry? { blocks.last?.entries.last }

    /// The first offset after all segments.
    var endOffset: UInt64 {
        blocks.reduce(last?.index.endOffset ?? 0) { Swift.max($0, $1.endOffset) }
    }

    /// Appends an entry; `entry` must follow all others.
    mutating func append(_ entry: SegmentEntry) {
        defer { last = entry }
        guard let previous = last else { return }
        if let block = blocks.indices.last, blocks[block].entries.count < Block.entriesMax {
            blocks[block].append(previous)
        } else {
            blocks.append(Block([previous]))
        }
    }

    mutating func removeLast() {
        last = nil
        guard let block = blocks.indices.last else { return }
        var entries = blocks[block].entries
        last = entries.popLast()
        setEntries(entries, of: block)
    }

    mutating func remove(_ number: UInt64) {
        breaks.removeAll { $0 == number }
        guard last?.number != number else { return removeLast() }
        guard let (block, place) = place(of: number) else { return }
        var entries = blocks[block].entries
        entries.remove(at: place)
        setEntries(entries, of: block)
    }

    /// Replaces the segment with the same number, if it exists.
    mutating func replace(_ entry: SegmentEntry) {
        guard last?.number != entry.number else { return last = entry }
        guard let (block, place) = place(of: entry.number) else { return }
        var entries = blocks[block].entries
        entries[place] = entry
        setEntries(entries, of: block)
    }

    private mutating func setEntries(_ entries: [SegmentEntry], of block: Int) {
        if entries.isEmpty { blocks.remove(at: block) } else { blocks[block] = Block(entries) }
    }

    subscript(_ number: UInt64) -> SegmentEntry? {
        if let last, last.number == number { return last }
        return place(of: number).map { blocks[$0.block].entries[$0.place] }
    }

    private func place(of number: UInt64) -> (block: Int, place: Int)? {
        let block = blocks.partitioningIndex { $0.numbers.upperBound >= number }
        guard block < blocks.count,
            let place = blocks[block].entries.firstIndex(where: { $0.number == number })
        else { return nil }
        return (block, place)
    }

    /// The newest segment for which `isWanted` is true.
    func last(where isWanted: (SegmentEntry) -> Bool) -> SegmentEntry? {
        if let last, isWanted(last) { return last }
        for block in blocks.reversed() {
            if let found = block.entries.last(where: isWanted) { return found }
        }
        return nil
    }

    /// The newest segment whose first offset is not after `offset`.
    func last(beginningBy offset: UInt64) -> SegmentEntry? {
        if let last, last.index.firstOffset <= offset { return last }
        for block in blocks.reversed() where block.firstOffset <= offset {
            return block.entries.last { $0.index.firstOffset <= offset }
        }
        return nil
    }

    /// Whether one of `breaks` lies in a block.
    func hasBreak(in block: Block) -> Bool { Self.isAny(of: breaks, in: block.numbers) }

    /// Whether one of `breaks` lies in a block with one of these offsets.
    func hasBreak(within offsets: Range<UInt64>) -> Bool {
        guard !breaks.isEmpty else { return false }
        return last.map { breaks.last == $0.number } ?? false
            || blocks.contains { block in
                block.endOffset > offsets.lowerBound && block.firstOffset < offsets.upperBound
                    && hasBreak(in: block)
            }
    }

    /// Whether one of `numbers`, which ascend, lies in `range`.
    static func isAny(of numbers: [UInt64], in range: ClosedRange<UInt64>) -> Bool {
        let first = numbers.partitioningIndex { $0 >= range.lowerBound }
        return first < numbers.count && numbers[first] <= range.upperBound
    }
}

extension SegmentList: Sequence {
    func makeIterator() -> some IteratorProtocol<SegmentEntry> {
        (blocks.lazy.map(\.entries) + [last.map { [$0] } ?? []]).joined().makeIterator()
    }
}

extension SegmentEntry {
    /// Returns, for each entry, the smallest first offset of the later ones, where its own records
    /// end; `.max` if it is unknown.
    static func followingOffsets(
        _ entries: [SegmentEntry], before end: UInt64 = .max
    ) -> [UInt64] {
        var offsets = [UInt64](repeating: end, count: entries.count)
        var least = end
        for place in entries.indices.reversed() {
            offsets[place] = least
            least = Swift.min(least, entries[place].header?.firstOffset ?? .max)
        }
        return offsets
    }
}
