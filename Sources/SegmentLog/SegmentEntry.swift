import Glibc
import SensorModel

/// One segment file as the catalog knows it.
struct SegmentEntry: Sendable {
    var number: UInt64
    /// `nil`: both copies are damaged, the file is not the segment that its name says, or it was
    /// put aside.
    var header: SegmentHeader?
    var isSealed = false
    /// Whether this process began the segment.
    var isWrittenHere = false
    /// Size of the file.
    var bytes: Int
    /// End of the records; the index follows.
    var recordsEnd: Int
    var index: SegmentIndex
    var damage: [LogDamage] = []
    /// The error that hid whether the segment is sealed, which forbids a rewrite as unsealed.
    var indexError: DiskError?
    /// Whether a block was unreadable at the start. The segment is then read leniently until it is
    /// repaired. Any other disk failure ends a reading, because skipped records would be lost
    /// silently.
    var isPartlyUnreadable = false
    /// Whether a block was unreadable while a ``LogReader`` of a folder made the index from the
    /// records. ``recordsEnd`` may then lie before the last record.
    var isIndexUncertain = false
    /// Whether the index lacks its marks, which ``MarkCache`` reads from the sealed file.
    var isMarksOnDisk = false

    var name: String { SegmentFormat.fileName(of: number) }

    /// Whether the index is sure to know each record that was written: it was made while they were.
    /// One that was made by reading a damaged file, or by rewriting one, may lack a session's last
    /// records.
    var isIndexOfAllRecords: Bool {
        header?.generation == 0 && (isSealed || isWrittenHere) && damage.isEmpty
    }

    var summary: SegmentSummary {
        SegmentSummary(
            name: name, isSealed: isSealed, bytes: bytes,
            firstOffset: RecordOffset(rawValue: index.firstOffset),
            endOffset: RecordOffset(rawValue: index.endOffset), records: Int(index.records),
            sessions: index.parts.count { $0.records > 0 },
            arrivalTimes: index.arrivalFirst <= index.arrivalLast
                ? Timestamp(
                    microseconds: index.arrivalFirst)...Timestamp(microseconds: index.arrivalLast)
                : nil)
    }

    /// Reads header and index, but not the records.
    ///
    /// - Parameters:
    ///   - number: The segment's number.
    ///   - disk: The log's folder.
    ///   - isWhole: Whether the marks are checked, too. They are most of an index; otherwise their
    ///     damage is found by the readers that need them.
    /// - Returns: The entry as its file is.
    /// - Throws: ``SegmentLogError/newerFormat(segment:version:versionKnown:)``; anything
    ///   unreadable counts as damage of the entry.
    static func load(
        _ number: UInt64, from disk: any Disk, isWhole: Bool = false
    ) throws(SegmentLogError) -> SegmentEntry {
        var entry = SegmentEntry(
            number: number, header: nil, bytes: 0, recordsEnd: 0,
            index: SegmentIndex(firstOffset: 0))
        var newerVersion: UInt16?
        do throws(DiskError) {
            let file = try disk.open(entry.name, .read)
            file.expectScatteredReads()
            newerVersion = try entry.read(from: file, isWhole: isWhole)
        } catch {
            guard error.number != ENOENT else { throw .disk(error) }
            entry.putAside(.unreadable)
        }
        guard let newerVersion else { return entry }
        throw .newerFormat(
            segment: entry.name, version: newerVersion, versionKnown: SegmentFormat.version)
    }

    /// Drops the marks: those of all segments would fill the memory. An unsealed segment keeps its
    /// own.
    mutating func dropMarks() {
        guard isSealed else { return }
        index.marks = []
        isMarksOnDisk = true
    }

    /// Marks a segment as open that was sealed while the disk failed. A later segment took over
    /// before its end, and the seal may never have reached the disk.
    mutating func unseal() {
        guard isSealed else { return }
        isSealed = false
        isMarksOnDisk = false
        index = SegmentIndex(firstOffset: index.firstOffset)
        recordsEnd = bytes
    }

    /// Puts the segment aside: its content is unknown now and may become readable. Nothing in it is
    /// read or changed.
    mutating func putAside(_ reason: LogDamage.Reason) {
        header = nil
        damage.append(LogDamage(segment: name, byte: 0, reason: reason))
    }

    var isPutAside: Bool {
        damage.contains { $0.reason == .unreadable || $0.reason == .undecided }
    }

    /// - Returns: The format's version if it is newer than this program.
    private mutating func read(
        from file: any DiskFile, isWhole: Bool
    ) throws(DiskError) -> UInt16? {
        bytes = try file.size()
        switch decodeHeader(try file.readUp(to: SegmentFormat.recordsStart, at: 0)) {
        case .newer(let version):
            return version
        case .damaged:
            damage.append(LogDamage(segment: name, byte: 0, reason: .header))
        case .header(let header):
            self.header = header
            index = SegmentIndex(firstOffset: header.firstOffset)
            recordsEnd = bytes
            do throws(DiskError) {
                try loadIndex(from: file, isWithMarks: isWhole)
                dropMarks()
            } catch {
                // Its records may be readable.
                guard error.number == EIO else { throw error }
                indexError = error
            }
        }
        return nil
    }

    private mutating func decodeHeader(_ start: [UInt8]) -> SegmentHeader.Decoding {
        let first = SegmentHeader.decode(start.span)
        switch first {
        case .newer: return first
        case .header(let header) where header.number == number: return first
        case .header: return .damaged
        case .damaged: break
        }
        let second = SegmentHeader.decode(
            start.span.extracting(
                droppingFirst: min(start.count, SegmentFormat.headerBytes)))
        guard case .header(let header) = second, header.number == number else { return .damaged }
        damage.append(LogDamage(segment: name, byte: 0, reason: .header))
        return second
    }
}
