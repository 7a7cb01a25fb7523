import Glibc
public import SensorModel
import Synchronization

/// Reads records by offset or by session, beside a running writer or without one.
public struct LogReader: Sendable {
    /// Where the list of segments comes from.
    enum Source: Sendable {
        case log(SegmentLog)
        /// As the folder was when the reader was made.
        case folder([SegmentEntry])
    }

    let disk: any Disk
    let source: Source

    init(log: SegmentLog) {
        disk = log.disk
        source = .log(log)
    }

    /// Reads the log of a folder that a daemon may be writing, as far as it is written now;
    /// nothing is changed.
    ///
    /// - Throws: ``SegmentLogError``
    public init(disk: any Disk) throws(SegmentLogError) {
        self.disk = disk
        source = .folder(try Self.entries(of: disk))
    }

    public func sessions() -> [SessionSummary] { SessionSummary.merged(entries) }

    public func summary(of session: SessionID) -> SessionSummary? {
        SessionSummary.merged(entries, of: session)
    }

    public func segments() -> [SegmentSummary] { entries.map(\.summary) }

    /// The first offset after what can be read now.
    public var end: RecordOffset {
        RecordOffset(rawValue: entries.map(\.index.endOffset).max() ?? 0)
    }

    /// The identity of this history; `nil` for a log that holds nothing.
    public var epoch: UInt32? { entries.last { $0.header != nil }?.header?.epoch }

    /// Visits records in order, as far as the log is written.
    ///
    /// - Parameters:
    ///   - from: The first offset wanted.
    ///   - until: The first offset not wanted; `nil`: all that is written.
    ///   - session: Only records of this one; `nil`: all.
    ///   - gap: Told of offsets in between that are deleted or damaged.
    ///   - record: Gets each record, its payload valid during the call; `false` stops.
    /// - Returns: The offset to go on from.
    /// - Throws: ``SegmentLogError``
    @discardableResult
    public func read(
        from: RecordOffset, until: RecordOffset? = nil, session: SessionID? = nil,
        gap: (LogGap) -> Void = { _ in },
        record: (RecordHeader, Span<UInt8>) -> Bool
    ) throws(SegmentLogError) -> RecordOffset {
        var reading = Reading(
            disk: disk, next: from.rawValue, until: until?.rawValue ?? .max, session: session)
        do throws(DiskError) {
            try reading.run(over: entries, gap: gap, record: record)
        } catch { throw .disk(error) }
        return RecordOffset(rawValue: reading.next)
    }

    /// Whether an offset can have come to somebody who reads the history of these devices alone.
    ///
    /// - Parameters:
    ///   - offset: Below the log's end. 0 is before all records, and anybody's.
    ///   - devices: Whose history.
    /// - Returns: `false` for a record of another device and for what was deleted; `true` also where
    ///   a crash or damage has left no record.
    /// - Throws: ``SegmentLogError``
    public func isPlace(
        _ offset: RecordOffset, inHistoryOf devices: Set<DeviceID>
    ) throws(SegmentLogError) -> Bool {
        guard offset.rawValue > 0 else { return true }
        var isPlace = true
        try read(
            from: offset, until: RecordOffset(rawValue: offset.rawValue + 1),
            gap: { gap in if gap.reason == .deleted { isPlace = false } },
            record: { header, _ in
                isPlace = devices.contains(header.device)
                return false
            })
        return isPlace
    }

    /// Where to begin reading for what a session was at a moment.
    ///
    /// - Parameters:
    ///   - type: Wanted; of frames any kind.
    ///   - session: Whose.
    ///   - deviceTime: The record is not after this.
    /// - Returns: The newest such record, by order of the log; `nil` where there is none.
    /// - Throws: ``SegmentLogError``
    public func newest(
        _ type: RecordType, of session: SessionID, notAfter deviceTime: Timestamp
    ) throws(SegmentLogError) -> RecordOffset? {
        for entry in entries.reversed() {
            guard
                let place = entry.index.parts.firstIndex(where: { $0.session == session }),
                entry.index.parts[place].records > 0
            else { continue }
            let marks = entry.index.marks.filter {
                Int($0.number) == place + 1 && $0.offset < entry.index.endOffset
            }
            if type == .snapshot {
                let found = marks.last {
                    $0.tag == RecordTag.snapshot && $0.deviceTime <= deviceTime.microseconds
                }
                if let found { return RecordOffset(rawValue: found.offset) }
                continue
            }
            if let found = try newest(
                type, of: session, notAfter: deviceTime, between: marks, in: entry)
            {
                return found
            }
        }
        return nil
    }

    /// Goes back from mark to mark until the stretch behind one holds such a record.
    private func newest(
        _ type: RecordType, of session: SessionID, notAfter deviceTime: Timestamp,
        between marks: [SegmentIndex.Mark], in entry: SegmentEntry
    ) throws(SegmentLogError) -> RecordOffset? {
        var end = entry.index.endOffset
        for mark in marks.reversed() {
            defer { end = mark.offset }
            guard mark.deviceTime <= deviceTime.microseconds else { continue }
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

    var entries: [SegmentEntry] {
        switch source {
        case .log(let log): log.core.withLock { $0.catalog() }
        case .folder(let entries): entries
        }
    }
}

extension LogReader {
    /// The segments of a folder, indices of unsealed ones made by reading them.
    static func entries(of disk: any Disk) throws(SegmentLogError) -> [SegmentEntry] {
        var entries: [SegmentEntry] = []
        for number in try numbers(in: disk) {
            do throws(SegmentLogError) {
                var entry = try SegmentEntry.load(number, from: disk)
                if !entry.isSealed { try entry.indexByReading(disk) }
                entries.append(entry)
            } catch {
                // Retention took it away between the list and the look.
                guard case .disk(let cause) = error, cause.number == ENOENT else { throw error }
            }
        }
        return entries
    }

    static func numbers(in disk: any Disk) throws(SegmentLogError) -> [UInt64] {
        do throws(DiskError) {
            return try disk.list().compactMap(SegmentFormat.number(ofFile:)).sorted()
        } catch { throw .disk(error) }
    }
}

extension SegmentEntry {
    /// As far as whole records go.
    fileprivate mutating func indexByReading(_ disk: any Disk) throws(SegmentLogError) {
        guard let header else { return }
        do throws(DiskError) {
            let file = try disk.open(name, .read)
            var walk = SegmentWalk(file: file, header: header, end: bytes)
            var builder = SegmentIndexBuilder(firstOffset: header.firstOffset)
            reading: while true {
                recordsEnd = walk.position
                switch try walk.next() {
                case .record(let record, let offset):
                    guard let owner = walk.owner(of: record.session) else { continue }
                    builder.note(record, offset: offset, position: recordsEnd, owner: owner)
                case .hole(let gap):
                    builder.index.endOffset = gap.to.rawValue
                case .damaged:
                    let isDamage = try walk.wasDurable()
                    guard isDamage, let gap = try walk.resume(endOffset: nil) else {
                        break reading
                    }
                    builder.index.endOffset = gap.to.rawValue
                case .end:
                    break reading
                }
            }
            index = builder.index
        } catch { throw .disk(error) }
    }
}
