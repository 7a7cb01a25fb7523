import Bytes
import Glibc
public import SensorModel
import Synchronization

/// Reads records by offset or by session, with or without a running writer.
public struct LogReader: Sendable {
    /// The source of the list of segments.
    enum Source: Sendable {
        case log(SegmentLog)
        /// The folder's content when the reader was made.
        case folder(SegmentList, SessionPlaces)
    }

    let disk: any Disk
    let source: Source
    private let marks: MarkCache

    init(log: SegmentLog) {
        disk = OverlayDisk(log.disk)
        source = .log(log)
        marks = log.marks
    }

    /// Reads the log of a folder up to what is written now. A daemon may be writing it; nothing is
    /// changed.
    ///
    /// - Throws: ``SegmentLogError``
    public init(disk: any Disk) throws(SegmentLogError) {
        self.disk = OverlayDisk(disk)
        let list = SegmentList(try Self.entries(of: self.disk))
        source = .folder(list, SessionPlaces(list))
        marks = MarkCache()
    }

    public func sessions() -> [SessionSummary] { SessionSummary.merged(entries) }

    public func summary(of session: SessionID) -> SessionSummary? {
        SessionSummary.merged(entries(holding: session).lazy.map { $0.entry.index.parts[$0.part] })
    }

    /// One summary per session of a device, in the order of first offsets.
    public func sessions(of device: DeviceID) -> [SessionSummary] {
        let list: SegmentList
        var known: Set<SessionID>
        switch source {
        case .log(let log):
            (list, known) = log.core.withLock { ($0.catalog(), $0.places.sessions(of: device)) }
        case .folder(let segments, let places):
            (list, known) = (segments, places.sessions(of: device))
        }
        // The places of the segment being written are not stored.
        if let newest = list.last {
            for part in newest.index.parts where part.device == device && part.records > 0 {
                known.insert(part.session)
            }
        }
        return known.compactMap { summary(of: $0) }
            .sorted { $0.firstOffset < $1.firstOffset }
    }

    public func segments() -> [SegmentSummary] { entries.map(\.summary) }

    /// The first offset after the readable records.
    public var end: RecordOffset {
        RecordOffset(rawValue: entries.endOffset)
    }

    /// Earliest arrival of an input whose records cannot be read yet; `nil` if there is none.
    ///
    /// The input is not processed yet, or its records wait for the disk. The value may be up to a
    /// second too early.
    public var unreadableSince: Timestamp? {
        guard case .log(let log) = source else { return nil }
        // Order matters: an input processed between the two reads has records that wait.
        let unprocessed = log.published.unprocessedSince.load(ordering: .acquiring)
        let waiting = log.core.withLock { $0.arrivals.arrival(from: $0.writtenEnd) } ?? .max
        let since = min(unprocessed, waiting)
        return since == .max ? nil : Timestamp(microseconds: since)
    }

    /// Whether an offset lies between the first and the last of a segment. After a crash the next
    /// segment begins further on; the offsets in between belong to no segment.
    public func isInSegment(_ offset: RecordOffset) -> Bool {
        entries.last(beginningBy: offset.rawValue).map { offset.rawValue < $0.index.endOffset }
            ?? false
    }

    /// Whether the offset lies before the oldest segment, so that its record was removed.
    public func isBeforeSegments(_ offset: RecordOffset) -> Bool {
        entries.first.map { offset.rawValue < $0.index.firstOffset } ?? false
    }

    /// The epoch of this history; `nil` for an empty log.
    public var epoch: UInt32? { entries.last { $0.header != nil }?.header?.epoch }

    /// Visits records in order, up to the end of the written log.
    ///
    /// - Parameters:
    ///   - from: The first offset wanted.
    ///   - until: The first offset not wanted; `nil`: all that is written.
    ///   - session: Reads only this session's records; `nil`: all.
    ///   - gap: Receives the deleted or damaged offsets in between.
    ///   - record: Receives each record; its payload is valid during the call. `false` stops.
    /// - Returns: The offset to continue from.
    /// - Throws: ``SegmentLogError``
    @discardableResult
    public func read(
        from: RecordOffset, until: RecordOffset? = nil, session: SessionID? = nil,
        gap: (LogGap) -> Void = { _ in },
        record: (RecordHeader, Span<UInt8>) -> Bool
    ) throws(SegmentLogError) -> RecordOffset {
        var reading = Reading(
            disk: disk, marks: marks, next: from.rawValue, until: until?.rawValue ?? .max,
            session: session)
        let (list, places) = listed(for: session)
        do throws(DiskError) {
            try reading.run(over: list, holding: places, gap: gap, record: record)
        } catch { throw .disk(error) }
        return RecordOffset(rawValue: reading.next)
    }

    /// Visits the records of a session, in order, up to the last one that its summary knows. Less is
    /// read than up to the end of the log: a segment may have thousands of sessions.
    ///
    /// - Parameters:
    ///   - summary: The session.
    ///   - record: As above.
    /// - Throws: ``SegmentLogError``
    public func read(
        _ summary: SessionSummary, record: (RecordHeader, Span<UInt8>) -> Bool
    ) throws(SegmentLogError) {
        try read(
            from: summary.firstOffset,
            until: RecordOffset(rawValue: summary.lastOffset.rawValue + 1),
            session: summary.session, record: record)
    }

    /// Finds the record from which to read a session's state at a time.
    ///
    /// - Parameters:
    ///   - type: Type of the record; any kind of frame matches a frame.
    ///   - session: The session.
    ///   - deviceTime: Latest device time of the record.
    /// - Returns: The newest such record in the order of the log; `nil` if there is none.
    /// - Throws: ``SegmentLogError``
    public func newest(
        _ type: RecordType, of session: SessionID, notAfter deviceTime: Timestamp
    ) throws(SegmentLogError) -> RecordOffset? {
        for (entry, place) in entries(holding: session).reversed() {
            let part = entry.index.parts[place]
            guard part.records > 0 else { continue }
            let known = try self.marks(of: entry)
            var marks = Self.marks(of: part, numbered: place + 1, among: known).filter {
                $0.offset < entry.index.endOffset
            }
            if known.isEmpty {
                // Every segment with records has marks. None means that they are damaged, so the
                // session's whole part is read.
                marks = [
                    SegmentIndex.Mark(
                        position: UInt32(SegmentFormat.recordsStart), number: 0, tag: 0,
                        offset: part.firstOffset, deviceTime: .min)
                ]
            } else if type == .snapshot {
                let found = marks.last {
                    $0.tag == RecordTag.snapshot && $0.deviceTime <= deviceTime.microseconds
                }
                if let found { return RecordOffset(rawValue: found.offset) }
                continue
            }
            let end = min(part.lastOffset + 1, entry.index.endOffset)
            if let found = try newest(
                type, of: session, notAfter: deviceTime, between: marks, until: end)
            {
                return found
            }
        }
        return nil
    }

    /// The marks of one session's part. They lie among the part's records, so a binary search skips
    /// those of other sessions before and after: a segment may have thousands.
    private static func marks(
        of part: SegmentIndex.Part, numbered number: Int, among marks: [SegmentIndex.Mark]
    ) -> [SegmentIndex.Mark] {
        let start = marks.partitioningIndex { $0.offset >= part.firstOffset }
        let end = marks.partitioningIndex { $0.offset > part.lastOffset }
        // A damaged index may contradict itself.
        return marks[start..<max(start, end)].filter { Int($0.number) == number }
    }

    /// Searches backward, from mark to mark, for the newest such record.
    private func newest(
        _ type: RecordType, of session: SessionID, notAfter deviceTime: Timestamp,
        between marks: [SegmentIndex.Mark], until end: UInt64
    ) throws(SegmentLogError) -> RecordOffset? {
        var end = end
        for mark in marks.reversed() {
            defer { end = mark.offset }
            guard mark.deviceTime <= deviceTime.microseconds, mark.offset < end else { continue }
            var found: RecordOffset?
            try read(
                from: RecordOffset(rawValue: mark.offset), until: RecordOffset(rawValue: end),
                session: session
            ) { header, _ in
                if header.deviceTime <= deviceTime, header.type.name == type.name {
                    found = header.offset
                }
                return true
            }
            if let found { return found }
        }
        return nil
    }

    private func marks(of entry: SegmentEntry) throws(SegmentLogError) -> [SegmentIndex.Mark] {
        do throws(DiskError) {
            return try marks.marks(of: entry, in: try disk.open(entry.name, .read))
        } catch {
            // Retention removed it meanwhile.
            guard error.number == ENOENT else { throw .disk(error) }
            return []
        }
    }

    var entries: SegmentList {
        switch source {
        case .log(let log): log.core.withLock { $0.catalog() }
        case .folder(let list, _): list
        }
    }

    func entries(
        holding session: SessionID
    ) -> [(entry: SegmentEntry, part: Int)] {
        switch source {
        case .log(let log): log.core.withLock { $0.entries(holding: session) }
        case .folder(let list, let places):
            places.places(of: session).compactMap { place in
                list[place.segment].map { ($0, place.part) }
            }
        }
    }

    /// The segments, and the session's places in them; `nil`: all segments are wanted.
    private func listed(
        for session: SessionID?
    ) -> (SegmentList, [SessionPlaces.Place]?) {
        guard let session else { return (entries, nil) }
        switch source {
        case .log(let log):
            return log.core.withLock { ($0.catalog(), $0.places(of: session)) }
        case .folder(let list, let places): return (list, places.places(of: session))
        }
    }
}

extension LogReader {
    /// The segments of a folder; unsealed ones are read to make their indices.
    static func entries(of disk: any Disk) throws(SegmentLogError) -> [SegmentEntry] {
        var entries = try CatalogFile.segments(
            try numbers(in: disk), on: disk, knowing: CatalogFile.read(from: disk),
            isGoneAllowed: true)
        try settleNewest(&entries, on: disk)
        // An empty file is one that retention could not remove, or that is just being made.
        entries.removeAll { $0.header == nil && $0.bytes == 0 && !$0.isPutAside }
        for place in entries.indices where !entries[place].isSealed {
            try index(&entries[place], on: disk)
        }
        return entries
    }

    /// Drops the newest segment if a running daemon is still making it. Its file is then not empty
    /// but has no header yet. It has no records, so nothing is lost.
    private static func settleNewest(
        _ entries: inout [SegmentEntry], on disk: any Disk
    ) throws(SegmentLogError) {
        guard let newest = entries.last, newest.header == nil, !newest.isPutAside else { return }
        do throws(DiskError) {
            let isBeingMade = try isZeros(newest.name, on: disk)
            // The header may have been written after the first look.
            let current = try newest.reloaded(from: disk)
            if current.header != nil {
                entries[entries.count - 1] = current
            } else if isBeingMade {
                entries.removeLast()
            }
        } catch {
            guard error.number != ENOENT else { return }
            throw .disk(error)
        }
    }

    private static func isZeros(_ name: String, on disk: any Disk) throws(DiskError) -> Bool {
        let file = try disk.open(name, .read)
        var position = 0
        while true {
            let bytes = try file.readUp(to: 1 << 20, at: position)
            guard !bytes.isEmpty else { return true }
            guard bytes.allSatisfy({ $0 == 0 }) else { return false }
            position += bytes.count
        }
    }

    private static func index(
        _ entry: inout SegmentEntry, on disk: any Disk
    ) throws(SegmentLogError) {
        do throws(DiskError) {
            let file = LenientFile(try disk.open(entry.name, .read))
            // An erasure may just have overwritten its index.
            try entry.loadIndex(from: file)
            guard !entry.isSealed else { return entry.dropMarks() }
            try entry.indexByReading(file, until: entry.bytes)
            entry.isIndexUncertain = !file.unreadableRanges.isEmpty
        } catch {
            // Retention removed it after the folder was listed.
            guard error.number != ENOENT else { return }
            throw .disk(error)
        }
    }

    static func numbers(in disk: any Disk) throws(SegmentLogError) -> [UInt64] {
        do throws(DiskError) {
            return SegmentFormat.segments(of: try disk.list()).kept
        } catch { throw .disk(error) }
    }
}
