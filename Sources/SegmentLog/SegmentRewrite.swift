import SensorModel

/// Writes a sealed segment in one go into a temporary file and puts it in its place.
///
/// Used where bytes that are on disk must change: after a crash, and where an erasure leaves little.
/// The file under the old name is whole at every moment, the old or the new one.
struct SegmentRewrite {
    private let disk: any Disk
    private let file: any DiskFile
    private let name: String
    private var draft: SegmentDraft
    private var line: ChunkLine

    /// `header` is that of the new file; its generation tells it from the old one.
    init(_ header: SegmentHeader, on disk: any Disk) throws(DiskError) {
        self.disk = disk
        name = header.fileName + SegmentFormat.temporarySuffix
        file = try disk.open(name, .create)
        draft = SegmentDraft(header: header)
        line = ChunkLine(
            header: header, position: SegmentFormat.recordsStart, offset: header.firstOffset)
        try file.writeAll(header.bothCopies.span, at: 0)
    }

    var index: SegmentIndex { draft.index }

    /// Deleted and not yet written as a hole: neighbours share one.
    private var omittedEnd: UInt64?

    /// Copies records up to the first damage.
    ///
    /// - Parameters:
    ///   - walk: Over the old file. After damage the caller resumes it and calls ``skip(to:reason:)``.
    ///   - endOffset: Records from here on are left out.
    ///   - sessions: Their records are left out, and those of a session whose introduction is lost.
    /// - Returns: Whether it has come to the end, not to damage.
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
    /// - Returns: What the segment is once the file has taken its place.
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

    /// After ``seal()``. A power loss may take it back until the names are synced.
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
