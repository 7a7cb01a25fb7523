import SensorModel

/// Writes a sealed segment into a temporary file and renames it into place.
///
/// Used if bytes on disk must change: after a crash, and when an erasure leaves few bytes. The
/// segment's name refers to a whole file at every moment, the old or the new one.
struct SegmentRewrite {
    private let disk: any Disk
    private let file: any DiskFile
    private let name: String
    private var draft: SegmentDraft
    private var line: ChunkQueue

    /// - Parameters:
    ///   - header: The new file's header; its generation distinguishes it from the old one.
    ///   - bytes: Size of the old file.
    ///   - disk: The log's folder.
    /// - Throws: ``DiskError`` if the file cannot be made.
    init(_ header: SegmentHeader, of bytes: Int, on disk: any Disk) throws(DiskError) {
        self.disk = disk
        name = header.fileName + SegmentFormat.temporarySuffix
        file = try disk.open(name, .create)
        draft = SegmentDraft(header: header)
        line = ChunkQueue(
            header: header, position: SegmentFormat.recordsStart, offset: header.firstOffset,
            segmentBytes: bytes)
        try file.writeAll(header.bothCopies.span, at: 0)
    }

    var index: SegmentIndex { draft.index }

    /// End of deleted offsets that are not yet written as a hole: adjacent ones share a hole.
    private var omittedEnd: UInt64?

    /// Copies records up to the first damage.
    ///
    /// - Parameters:
    ///   - walk: Walk over the old file. After damage the caller resumes it and calls
    ///     ``skip(to:reason:)``.
    ///   - endOffset: Records from this offset on are left out.
    ///   - sessions: Records of these sessions are left out, and those of a session whose
    ///     introduction is lost.
    /// - Returns: Whether it has reached the end, not damage.
    /// - Throws: ``DiskError``
    mutating func copy(
        _ walk: inout SegmentWalk, before endOffset: UInt64 = .max,
        without sessions: Set<SessionID> = []
    ) throws(DiskError) -> Bool {
        defer { writeOmitted() }
        while true {
            switch try walk.next() {
            case .record(let record, let offset):
                guard offset < endOffset else { return true }
                guard let owner = walk.owner(of: record.session) else {
                    skip(to: offset + 1, reason: .damaged)
                    continue
                }
                guard !sessions.contains(owner.session) else {
                    omittedEnd = offset + 1
                    continue
                }
                writeOmitted()
                draft.append(
                    record, at: offset, of: owner.session, device: owner.device,
                    payload: walk.window.span.extracting(walk.payload), to: &line)
                try writeFilled()
            case .hole(let gap) where gap.reason == .deleted:
                omittedEnd = gap.to.rawValue
            case .hole(let gap):
                skip(to: gap.to.rawValue, reason: gap.reason)
            case .damaged:
                return false
            case .end:
                return true
            }
        }
    }

    private mutating func writeOmitted() {
        guard let end = omittedEnd else { return }
        omittedEnd = nil
        draft.skip(to: end, reason: .deleted, to: &line)
    }

    mutating func skip(to next: UInt64, reason: LogGap.Reason) {
        writeOmitted()
        draft.skip(to: next, reason: reason, to: &line)
    }

    /// Seals and syncs.
    ///
    /// - Returns: The segment's entry once the file is in place.
    mutating func seal() throws(DiskError) -> SegmentEntry {
        writeOmitted()
        if let last = line.takeCurrent() { line.filled.append(last) }
        try writeFilled()
        let seal = draft.seal()
        try write(seal)
        try file.synchronize()
        var entry = SegmentEntry(
            number: draft.header.number, header: draft.header, isSealed: true,
            bytes: seal.endPosition, recordsEnd: draft.position, index: draft.index)
        entry.dropMarks()
        return entry
    }

    /// Renames the file into place, after ``seal()``. A power loss may undo it until the names are
    /// synced.
    func takePlace() throws(DiskError) {
        try disk.rename(name, to: draft.header.fileName)
    }

    private mutating func writeFilled() throws(DiskError) {
        while !line.filled.isEmpty {
            let chunk = line.filled.removeFirst()
            try write(chunk)
            line.recycle(chunk)
        }
    }

    private func write(_ chunk: borrowing Chunk) throws(DiskError) {
        try file.writeAll(chunk.bytes.span.extracting(first: chunk.count), at: chunk.position)
    }
}
