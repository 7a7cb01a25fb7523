/// The changes that erase sessions in place in one sealed segment: the file `000000000012.erasure`
/// beside segment 12.
///
///      0  8 bytes "PULSERAS"
///      8  the segment's header, 64 bytes
///     72  u32 changes
///     76  changes, ascending and disjoint × (u32 position in the segment, u32 bytes changed,
///         u32 bytes given; the bytes given, the others become zeros)
///         u32 CRC-32C of all before
///
/// The file is durable before the first byte of the segment is overwritten. It is removed once all
/// changes are durable. After a crash all changes are made again before the segment is read.
/// Meanwhile readers see the segment through ``OverlayDisk``. The file contains no erased data.
struct ErasureIntent: Hashable, Sendable {
    struct Change: Hashable, Sendable {
        var position: Int
        /// Length of the change; the bytes after ``content`` become zeros.
        var bytes: Int
        var content: [UInt8]

        var end: Int { position + bytes }
    }

    /// Maximum number of changes in a segment; with more, the segment is rewritten.
    static let changesMax = 1 << 16
    static let changeHeadBytes = 12
    /// Upper bound for the allowed changes and an index of 32,000 sessions.
    private static let bytesMax = 64 << 20

    let header: SegmentHeader
    /// Ascending and disjoint.
    let changes: [Change]

    private static func name(of number: UInt64) -> String {
        SegmentFormat.fileName(of: number, suffix: SegmentFormat.erasureSuffix)
    }

    init(header: SegmentHeader, changes: [Change]) {
        self.header = header
        self.changes = changes
    }

    /// Returns the differences between two byte ranges; those close together become one change.
    ///
    /// - Parameters:
    ///   - old: Present bytes.
    ///   - new: Wanted bytes, of the same length.
    ///   - position: Position of both in the file.
    /// - Returns: Changes, ascending and disjoint.
    static func changes(from old: [UInt8], to new: [UInt8], at position: Int) -> [Change] {
        var ranges: [Range<Int>] = []
        for place in new.indices where old[place] != new[place] {
            if let last = ranges.last, place - last.upperBound <= changeHeadBytes {
                ranges[ranges.count - 1] = last.lowerBound..<(place + 1)
            } else {
                ranges.append(place..<(place + 1))
            }
        }
        return ranges.map {
            Change(
                position: position + $0.lowerBound, bytes: $0.count, content: Array(new[$0]))
        }
    }

    /// - Parameters:
    ///   - number: The segment's number.
    ///   - disk: The log's folder.
    /// - Returns: The intent; `nil` if there is none or its file never became valid.
    /// - Throws: ``DiskError``
    static func read(
        _ number: UInt64, from disk: any Disk
    ) throws(DiskError) -> ErasureIntent? {
        try read(name(of: number), from: disk)
    }

    /// Reads an intent from a file of any name, for example a prepared one.
    static func read(_ name: String, from disk: any Disk) throws(DiskError) -> ErasureIntent? {
        guard let file = try disk.openIfThere(name, .read) else { return nil }
        let size = try file.size()
        guard size <= bytesMax else { return nil }
        return ErasureIntent(decoding: try file.readUp(to: size, at: 0))
    }

    /// Prepares the erasure. Once the part has taken effect, ``complete(_:on:)`` must finish it,
    /// now or after a crash.
    ///
    /// - Throws: ``DiskError``
    func prepare(on disk: any Disk) throws(DiskError) -> ErasurePart {
        _ = try disk.writeTemporary(encoded(), for: Self.name(of: header.number))
        return try ErasurePart(prepared: .intent, of: header.number, on: disk)
    }

    /// Makes all changes in a segment, also those that an earlier attempt has made, and removes the
    /// intent.
    ///
    /// - Throws: ``DiskError``; the call must then be repeated.
    static func complete(_ number: UInt64, on disk: any Disk) throws(DiskError) {
        let intent = try read(number, from: disk)
        if let file = try disk.openIfThere(SegmentFormat.fileName(of: number), .write) {
            // A newer program wrote the segment and will complete the erasure.
            if case .newer = try header(of: file) { return }
            // Retention may have emptied it.
            if let intent, try file.size() > 0, try intent.isMeant(for: file) {
                // Otherwise a power loss could remove the intent and leave the segment half erased.
                try disk.synchronizeNames()
                try intent.makeChanges(in: file)
            }
        }
        // An intent that stays, or that a power loss restores, writes the same bytes again.
        forget(number, on: disk)
    }

    static func forget(_ number: UInt64, on disk: any Disk) {
        SegmentLog.tryToRemove(name(of: number), on: disk)
    }

    /// Numbers of the segments whose intents are among `names`.
    static func numbers(of names: [String]) -> [UInt64] {
        names.compactMap { SegmentFormat.number(ofFile: $0, suffix: SegmentFormat.erasureSuffix) }
    }

    /// Whether the intent belongs to `file`: a rewritten segment has another header.
    func isMeant(for file: any DiskFile) throws(DiskError) -> Bool {
        switch try Self.header(of: file) {
        case .header(let found): found == header
        case .newer: false
        case .damaged: true
        }
    }

    /// The first readable copy of the header.
    private static func header(
        of file: any DiskFile
    ) throws(DiskError) -> SegmentHeader.Decoding {
        let bytes = try file.readUp(to: SegmentFormat.recordsStart, at: 0)
        let first = SegmentHeader.decode(bytes.span)
        guard case .damaged = first, bytes.count > SegmentFormat.headerBytes else { return first }
        return SegmentHeader.decode(
            bytes.span.extracting(droppingFirst: SegmentFormat.headerBytes))
    }

    private func makeChanges(in file: any DiskFile) throws(DiskError) {
        for change in changes {
            var bytes = change.content
            bytes += repeatElement(0, count: change.bytes - bytes.count)
            try file.writeAll(bytes.span, at: change.position)
        }
        try file.synchronize()
    }
}
