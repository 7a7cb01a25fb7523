import Glibc
import SensorModel

/// One segment file as the catalog knows it.
struct SegmentEntry: Sendable {
    var number: UInt64
    /// `nil`: both copies are damaged, the file is not the segment its name says, or it was put
    /// aside.
    var header: SegmentHeader?
    var isSealed = false
    /// Of the file.
    var bytes: Int
    /// Where records end; the index lies behind.
    var recordsEnd: Int
    var index: SegmentIndex
    var damage: [LogDamage] = []
    /// Whether the segment is sealed cannot be read: it must not be rewritten as one that is not.
    var indexError: DiskError?
    /// Some block of it could not be read at the start: it is read leniently until it is repaired.
    /// Any other failure of the disk ends a reading, or what passes would be lost without a word.
    var isPartlyUnreadable = false
    /// The index is that of a sealed file but for its marks, which ``MarkCache`` reads from there.
    var isMarksOnDisk = false

    var name: String { SegmentFormat.fileName(of: number) }

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

    /// Reads header and index, not the records.
    ///
    /// - Throws: ``SegmentLogError/newerFormat(segment:version:versionKnown:)``; what cannot be
    ///   read is damage of the entry.
    static func load(
        _ number: UInt64, from disk: any Disk
    ) throws(SegmentLogError) -> SegmentEntry {
        var entry = SegmentEntry(
            number: number, header: nil, bytes: 0, recordsEnd: 0,
            index: SegmentIndex(firstOffset: 0))
        var newerVersion: UInt16?
        do throws(DiskError) {
            newerVersion = try entry.read(from: disk.open(entry.name, .read))
        } catch {
            guard error.number != ENOENT else { throw .disk(error) }
            entry.putAside(.unreadable)
        }
        entry.dropMarks()
        guard let newerVersion else { return entry }
        throw .newerFormat(
            segment: entry.name, version: newerVersion, versionKnown: SegmentFormat.version)
    }

    /// Those of all segments would fill the memory. A segment that is not sealed keeps its own.
    mutating func dropMarks() {
        guard isSealed else { return }
        index.marks = []
        isMarksOnDisk = true
    }

    /// What it holds cannot be known now, and may be one day: nothing in it is read or changed.
    mutating func putAside(_ reason: LogDamage.Reason) {
        header = nil
        damage.append(LogDamage(segment: name, byte: 0, reason: reason))
    }

    var isPutAside: Bool {
        damage.contains { $0.reason == .unreadable || $0.reason == .undecided }
    }

    /// - Returns: The format's version when it is newer than this program.
    private mutating func read(from file: any DiskFile) throws(DiskError) -> UInt16? {
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
                try loadIndex(from: file)
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

    /// Leaves the entry unsealed where there is no index, or none that is whole.
    mutating func loadIndex(from file: any DiskFile) throws(DiskError) {
        guard let header else { return }
        let least =
            SegmentFormat.recordsStart + SegmentFormat.recordHeaderBytes
            + SegmentFormat.trailerBytes
        guard bytes >= least else { return }
        let trailerPosition = bytes - SegmentFormat.trailerBytes
        let trailerBytes = try file.readUp(to: SegmentFormat.trailerBytes, at: trailerPosition)
        guard let trailer = SegmentTrailer(decoding: trailerBytes.span),
            trailer.indexPosition >= SegmentFormat.recordsStart,
            trailer.indexPosition < trailerPosition
        else { return }
        let start = trailer.indexPosition
        let record = try file.readUp(to: trailerPosition - start, at: start)
        guard
            let raw = RawRecord.decode(
                record.span, at: 0, position: start, arrivalBase: header.arrivalBase,
                seed: header.seed),
            raw.tag == RecordTag.index, raw.bytes == record.count,
            let index = SegmentIndex(
                decoding: record.span.extracting(
                    droppingFirst: SegmentFormat.recordHeaderBytes)),
            index.firstOffset == header.firstOffset
        else { return }
        self.index = index
        recordsEnd = start
        isSealed = true
    }
}
