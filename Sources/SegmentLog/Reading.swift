import Bytes
import Glibc
import SensorModel

/// One pass over the records from an offset on.
struct Reading {
    let disk: any Disk
    let marks: MarkCache
    /// The offset to continue from.
    var next: UInt64
    let until: UInt64
    let session: SessionID?
    /// Places of the session, ascending by segment; `nil`: all segments are wanted.
    private var places: [SessionPlaces.Place]?

    init(
        disk: any Disk, marks: MarkCache, next: UInt64, until: UInt64, session: SessionID?
    ) {
        self.disk = disk
        self.marks = marks
        self.next = next
        self.until = until
        self.session = session
    }

    /// - Parameters:
    ///   - list: The log's segments.
    ///   - places: Places of the session, ascending by segment; `nil`: all segments are wanted.
    ///   - gap: Receives offsets that cannot be read.
    ///   - record: Receives each record; `false` stops.
    /// - Throws: ``DiskError``
    mutating func run(
        over list: SegmentList, holding places: [SessionPlaces.Place]?, gap: (LogGap) -> Void,
        record: (RecordHeader, Span<UInt8>) -> Bool
    ) throws(DiskError) {
        self.places = places
        if let header = list.first?.header, header.previous != 0, header.firstOffset > next {
            report(from: next, to: header.firstOffset, .removed, gap: gap)
        }
        let newest = list.last?.header?.firstOffset ?? .max
        // For each block, the lowest first offset after it; in reverse order.
        var followings = [newest]
        for block in list.blocks.dropFirst().reversed() {
            followings.append(min(followings[followings.count - 1], block.firstOffset))
        }
        for block in list.blocks {
            guard next < until else { return }
            let following = followings.popLast() ?? newest
            guard isWanted(block, of: list) else {
                if session != nil { next = max(next, min(until, following, block.endOffset)) }
                continue
            }
            guard
                try read(
                    block.entries, of: list, before: following, gap: gap, record: record)
            else { return }
        }
        guard let last = list.last, next < until else { return }
        _ = try read([last], of: list, before: .max, gap: gap, record: record)
    }

    private func isWanted(
        _ block: SegmentList.Block, of list: SegmentList
    ) -> Bool {
        if list.hasBreak(in: block) { return true }
        guard block.endOffset > next else { return false }
        guard places != nil else { return true }
        let numbers = block.numbers
        return place(from: numbers.lowerBound).map { $0.segment <= numbers.upperBound } ?? false
    }

    /// The session's first place in this segment or a later one.
    private func place(from number: UInt64) -> SessionPlaces.Place? {
        guard let places else { return nil }
        let first = places.partitioningIndex { $0.segment >= number }
        return first < places.count ? places[first] : nil
    }

    /// Index of the session's part in a segment's index; `nil`: it has none.
    private func part(in entry: SegmentEntry) -> Int? {
        guard let place = place(from: entry.number), place.segment == entry.number else {
            return nil
        }
        let parts = entry.index.parts
        if place.part < parts.count, parts[place.part].session == session { return place.part }
        // The segment was rewritten since, with new session numbers.
        return parts.firstIndex { $0.session == session }
    }

    /// - Returns: `false` if the caller has stopped.
    private mutating func read(
        _ entries: [SegmentEntry], of list: SegmentList, before end: UInt64,
        gap: (LogGap) -> Void, record: (RecordHeader, Span<UInt8>) -> Bool
    ) throws(DiskError) -> Bool {
        let followings = SegmentEntry.followingOffsets(entries, before: end)
        for (entry, following) in zip(entries, followings) {
            guard next < until else { return false }
            guard let header = entry.header else {
                if following < .max { report(from: next, to: following, .damaged, gap: gap) }
                continue
            }
            if header.firstOffset > next, list.breaks.contains(entry.number),
                entry.number != list.first?.number
            {
                report(from: next, to: header.firstOffset, .damaged, gap: gap)
            }
            guard try read(entry, end: min(until, following), gap: gap, record: record) else {
                return false
            }
        }
        return true
    }

    /// - Returns: `false` if the caller has stopped.
    private mutating func read(
        _ entry: SegmentEntry, end: UInt64, gap: (LogGap) -> Void,
        record: (RecordHeader, Span<UInt8>) -> Bool
    ) throws(DiskError) -> Bool {
        var entry = entry
        while true {
            guard wanted(in: entry) != nil else {
                pass(over: entry, end: end)
                return true
            }
            guard let (file, current) = try open(entry) else {
                // Retention removed it, and the list does not show that yet.
                report(
                    from: entry.index.firstOffset, to: min(end, entry.index.endOffset), .removed,
                    gap: gap)
                return true
            }
            entry = current
            guard let start = try start(in: entry, file) else {
                pass(over: entry, end: end)
                return true
            }
            var walk = SegmentWalk(
                file: file, header: start.header, end: entry.recordsEnd,
                parts: entry.index.parts, start: (start.position, start.offset))
            var pass = Pass(end: min(end, start.wantedEnd), number: start.number)
            try visit(&walk, &pass, of: entry, gap: gap, record: record)
            if pass.isStopped { return false }
            guard let replacement = pass.replacement else {
                next = max(next, min(end, entry.index.endOffset))
                return true
            }
            entry = replacement
        }
    }

    /// Skips a segment without records of the session.
    private mutating func pass(over entry: SegmentEntry, end: UInt64) {
        guard session != nil, entry.index.endOffset > next else { return }
        next = min(end, entry.index.endOffset)
    }

    /// The pass over one file.
    private struct Pass {
        let end: UInt64
        /// Number of the wanted session in this segment.
        let number: UInt16?
        var isStopped = false
        /// The segment's current entry, which must be read instead.
        var replacement: SegmentEntry?
    }

    private mutating func visit(
        _ walk: inout SegmentWalk, _ pass: inout Pass, of entry: SegmentEntry,
        gap: (LogGap) -> Void, record: (RecordHeader, Span<UInt8>) -> Bool
    ) throws(DiskError) {
        while walk.offset < pass.end {
            switch try walk.next() {
            case .record(let raw, let offset):
                guard offset < pass.end else { return }
                guard offset >= next, pass.number == nil || raw.session == pass.number else {
                    continue
                }
                guard let header = Self.header(raw, offset: offset, in: walk) else {
                    report(from: offset, to: offset + 1, .damaged, gap: gap)
                    continue
                }
                next = offset + 1
                guard record(header, walk.window.span.extracting(walk.payload)) else {
                    pass.isStopped = true
                    return
                }
            case .hole(let hole):
                report(
                    from: hole.from.rawValue, to: min(hole.to.rawValue, pass.end), hole.reason,
                    gap: gap)
            case .damaged:
                pass.replacement = try entry.erasedMeanwhile(on: disk)
                if pass.replacement != nil { return }
                let damage = try walk.resume(endOffset: entry.index.endOffset)
                let lost = min(damage?.to.rawValue ?? .max, pass.end)
                report(from: damage?.from.rawValue ?? walk.offset, to: lost, .damaged, gap: gap)
                if damage == nil { return }
            case .end:
                return
            }
        }
    }

    private static func header(
        _ raw: RawRecord, offset: UInt64, in walk: SegmentWalk
    ) -> RecordHeader? {
        guard let type = RecordTag.type(raw.tag), let owner = walk.owner(of: raw.session) else {
            return nil
        }
        return RecordHeader(
            offset: RecordOffset(rawValue: offset), type: type, session: owner.session,
            device: owner.device, sequence: FrameSequence(rawValue: raw.sequence),
            deviceTime: Timestamp(microseconds: raw.deviceTime),
            arrivalTime: Timestamp(microseconds: raw.arrivalTime))
    }

    private mutating func report(
        from start: UInt64, to end: UInt64, _ reason: LogGap.Reason, gap: (LogGap) -> Void
    ) {
        let start = max(start, next)
        let end = min(end, until)
        guard end > start else { return }
        gap(
            LogGap(
                from: RecordOffset(rawValue: start), to: RecordOffset(rawValue: end),
                reason: reason))
        next = end
    }

    private struct Start {
        var header: SegmentHeader
        var position: Int
        var offset: UInt64
        /// The first offset behind the wanted part. A segment may have thousands of sessions, so
        /// behind a session's last record nothing is read.
        var wantedEnd: UInt64
        var number: UInt16?
    }

    /// The wanted part of a segment: its first offset, the first one behind it, and the session's
    /// number; `nil` if there is none.
    private func wanted(
        in entry: SegmentEntry
    ) -> (offset: UInt64, end: UInt64, number: UInt16?)? {
        guard entry.header != nil, entry.index.endOffset > next,
            entry.index.firstOffset < until
        else { return nil }
        guard session != nil else { return (next, entry.index.endOffset, nil) }
        guard let place = part(in: entry) else { return nil }
        let part = entry.index.parts[place]
        guard part.records > 0, part.lastOffset >= next else { return nil }
        let end = entry.isIndexOfAllRecords ? part.lastOffset + 1 : .max
        return (
            max(next, part.firstOffset), min(end, entry.index.endOffset), UInt16(place + 1)
        )
    }

    /// The last known place before the wanted offset; `nil` if the segment has no record of the
    /// session.
    private func start(
        in entry: SegmentEntry, _ file: any DiskFile
    ) throws(DiskError) -> Start? {
        guard let header = entry.header, let wanted = wanted(in: entry) else { return nil }
        var start = Start(
            header: header, position: SegmentFormat.recordsStart, offset: header.firstOffset,
            wantedEnd: wanted.end, number: wanted.number)
        let marks = try marks.marks(of: entry, in: file)
        // Marks are in the order of the file, so a binary search finds the first mark too far.
        let next = marks.partitioningIndex { $0.offset > wanted.offset }
        guard next > 0, Int(marks[next - 1].position) < entry.recordsEnd else { return start }
        start.position = Int(marks[next - 1].position)
        start.offset = marks[next - 1].offset
        return start
    }

    /// The file with the entry's name, and the entry as of that file; `nil` if the file does not
    /// exist any more.
    private func open(
        _ entry: SegmentEntry
    ) throws(DiskError) -> (any DiskFile, SegmentEntry)? {
        do throws(DiskError) {
            let file = try disk.open(entry.name, .read)
            guard try isReplaced(entry, by: file) else {
                return (entry.isPartlyUnreadable ? LenientFile(file) : file, entry)
            }
            return (try disk.open(entry.name, .read), try entry.reloaded(from: disk))
        } catch {
            guard error.number == ENOENT else { throw error }
            return nil
        }
    }

    private func isReplaced(
        _ entry: SegmentEntry, by file: any DiskFile
    ) throws(DiskError) -> Bool {
        let start = try file.readUp(to: SegmentFormat.headerBytes, at: 0)
        guard case .header(let header) = SegmentHeader.decode(start.span) else { return false }
        return header.number == entry.number && header != entry.header
    }
}
