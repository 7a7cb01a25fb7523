import Glibc
import SensorModel

extension LogReader {
    /// Checks all checksums and the chain of segments.
    ///
    /// - Parameter progress: Bytes done and bytes in all, after each segment and every few
    ///   megabytes.
    /// - Returns: Counts and findings; damage is a finding, not an error.
    /// - Throws: ``SegmentLogError``
    public func verify(
        progress: (_ bytesDone: Int, _ bytesInAll: Int) -> Void = { _, _ in }
    ) throws(SegmentLogError) -> LogVerification {
        let entries = Array(self.entries)
        let followings = SegmentEntry.followingOffsets(entries)
        var known: Set<UInt64> = []
        var verifier = Verifier(disk: disk, bytesInAll: entries.reduce(0) { $0 + $1.bytes })
        for (place, entry) in entries.enumerated() {
            let following = followings[place] == .max ? nil : followings[place]
            defer { known.insert(entry.number) }
            let isChained = entry.header.map { header in
                header.previous <= entries[0].number || known.contains(header.previous)
            }
            do throws(DiskError) {
                try verifier.note(entries[(place + 1)...], after: entry)
                try verifier.check(
                    entry, before: following, isChained: place == 0 || isChained ?? true,
                    progress: progress)
            } catch {
                // Retention removed it meanwhile; this is not damage.
                guard error.number != ENOENT else { continue }
                verifier.found.damaged.append(
                    LogDamage(segment: entry.name, byte: 0, reason: .unreadable))
            }
        }
        return verifier.found
    }
}

/// Reads whole segments, counts their records and collects findings.
private struct Verifier {
    private static let progressBytes = 4 << 20

    let disk: any Disk
    let bytesInAll: Int
    var found = LogVerification()
    /// Whether a segment after the one under check has a record.
    private var isFollowed = false

    init(disk: any Disk, bytesInAll: Int) {
        self.disk = disk
        self.bytesInAll = bytesInAll
    }

    /// Notes whether records follow the segment that is checked next.
    ///
    /// After a power loss during a roll, an empty segment may follow a torn tail.
    mutating func note(
        _ following: ArraySlice<SegmentEntry>, after entry: SegmentEntry
    ) throws(DiskError) {
        isFollowed = entry.isSealed ? false : try Recovery.isFollowed(by: following, on: disk)
    }

    mutating func check(
        _ entry: SegmentEntry, before following: UInt64?, isChained: Bool,
        progress: (Int, Int) -> Void
    ) throws(DiskError) {
        found.segments += 1
        defer {
            found.bytes += entry.bytes
            progress(found.bytes, bytesInAll)
        }
        var entry = entry
        while true {
            let before = found
            try examine(entry, before: following, isChained: isChained, progress: progress)
            // Apparent damage may be a session that was being erased.
            guard found.damaged.count > before.damaged.count, entry.header != nil,
                let current = try entry.erasedMeanwhile(on: disk)
            else { return }
            found = before
            let listed = CatalogFile.read(from: disk).entries[entry.number]
            if let listed, listed.index.records != current.index.records {
                report(.catalog, 0, entry)
            }
            entry = current
        }
    }

    /// Reports that a segment's predecessor is missing. It must exist unless it is older than
    /// everything that is kept.
    private mutating func reportMissing(_ number: UInt64) {
        found.damaged.append(
            LogDamage(
                segment: SegmentFormat.fileName(of: number), byte: 0, reason: .missingSegment))
    }

    private mutating func examine(
        _ entry: SegmentEntry, before following: UInt64?, isChained: Bool,
        progress: (Int, Int) -> Void
    ) throws(DiskError) {
        found.damaged += entry.damage
        guard let header = entry.header else { return }
        try checkCatalog(entry)
        if !isChained { reportMissing(header.previous) }
        let file = LenientFile(try disk.open(entry.name, .read))
        defer {
            if let first = file.unreadableRanges.first {
                report(.unreadable, first.lowerBound, entry)
            }
        }
        var walk = SegmentWalk(
            file: file, header: header, end: entry.isSealed ? entry.recordsEnd : entry.bytes,
            parts: entry.index.parts)
        let before = found.records
        var reported = 0
        walking: while walk.offset < following ?? .max {
            if walk.position - reported > Self.progressBytes {
                reported = walk.position
                progress(found.bytes + reported, bytesInAll)
            }
            let byte = walk.position
            switch try walk.next() {
            case .record(let record, let offset):
                guard offset < following ?? .max else { break walking }
                count(record, at: byte, isOwned: walk.owner(of: record.session) != nil, in: entry)
            case .hole(let gap):
                if gap.reason == .damaged { report(.lostBefore, byte, entry) }
            case .damaged:
                guard try pass(&walk, of: entry, before: following) else { break walking }
            case .end:
                break walking
            }
        }
        try checkBehindIndex(&walk, of: entry, in: file, before: following)
        let isComplete =
            walk.offset == entry.index.endOffset && entry.index.records == found.records - before
        if entry.isSealed, !isComplete, following ?? .max >= entry.index.endOffset,
            !found.damaged.contains(where: { $0.segment == entry.name })
        {
            report(.footer, entry.recordsEnd, entry)
        }
    }

    /// The known entry of a segment, from the catalog or from its seal, must match its file.
    private mutating func checkCatalog(_ entry: SegmentEntry) throws(DiskError) {
        guard entry.isMarksOnDisk else { return }
        do throws(SegmentLogError) {
            let own = try SegmentEntry.load(entry.number, from: disk, isWhole: true)
            // An unreadable segment is reported as such; a rewritten segment has another header.
            guard own.header == entry.header else { return }
            if !own.isSealed {
                report(.footer, entry.recordsEnd, entry)
            } else if own.index != entry.index || own.bytes != entry.bytes
                || own.recordsEnd != entry.recordsEnd
            {
                report(.catalog, 0, entry)
            }
        } catch {
            guard case .disk(let cause) = error else { return }
            throw cause
        }
    }

    /// Reports bytes after an index, which must end its segment. They are left by a crash or
    /// written by another program.
    private mutating func checkBehindIndex(
        _ walk: inout SegmentWalk, of entry: SegmentEntry, in file: any DiskFile,
        before following: UInt64?
    ) throws(DiskError) {
        guard !entry.isSealed, walk.position < entry.bytes else { return }
        let offset = walk.offset
        switch try walk.next() {
        case .end: break
        case .damaged where offset == following:
            // A failed write may have left bytes there; the next segment contains them again.
            guard try wasSealed(entry, in: file, from: walk.position) else { return }
        default: return
        }
        guard !isFollowed else { return report(.footer, walk.position, entry) }
        let bytes = try walk.bytesUntilZeros()
        guard bytes > 0 else { return }
        found.tornTail = TornTail(segment: entry.name, byte: walk.position, bytes: bytes)
    }

    /// Whether a damaged index begins at `position` or after it. The trailer shows this; if it is
    /// damaged too, the type and length of the record do.
    private func wasSealed(
        _ entry: SegmentEntry, in file: any DiskFile, from position: Int
    ) throws(DiskError) -> Bool {
        let end = entry.bytes - SegmentFormat.trailerBytes
        guard position + SegmentFormat.recordHeaderBytes <= end else { return false }
        let trailer = try file.readUp(to: SegmentFormat.trailerBytes, at: end)
        if let trailer = SegmentTrailer(decoding: trailer.span), trailer.indexPosition >= position {
            return true
        }
        let head = try file.readUp(to: 8, at: position)
        guard head.count == 8, head[7] == RecordTag.index else { return false }
        let length = Int(LittleEndian.load(UInt32.self, from: head.span, at: 4) & 0xFF_FFFF)
        return position + SegmentFormat.recordHeaderBytes + length == end
    }

    private mutating func count(
        _ record: RawRecord, at byte: Int, isOwned: Bool, in entry: SegmentEntry
    ) {
        guard isOwned else {
            report(.record, byte, entry)
            return
        }
        found.records += 1
        if record.tag < RecordTag.metric { found.frames += 1 }
    }

    /// - Returns: Whether a whole record follows.
    private mutating func pass(
        _ walk: inout SegmentWalk, of entry: SegmentEntry, before following: UInt64?
    ) throws(DiskError) -> Bool {
        let byte = walk.position
        // A segment begun by a start after a crash does not prove that earlier ones were durable.
        let isLast =
            !isFollowed || following.map { Recovery.isJump(from: walk.offset, to: $0) } ?? true
        let isTorn = !entry.isSealed && isLast
        if isTorn, try !walk.wasDurable() {
            let bytes = try walk.bytesUntilZeros()
            if bytes > 0 {
                found.tornTail = TornTail(segment: entry.name, byte: byte, bytes: bytes)
            }
            return false
        }
        report(.record, byte, entry)
        return try walk.resume(endOffset: entry.isSealed ? entry.index.endOffset : nil) != nil
    }

    private mutating func report(
        _ reason: LogDamage.Reason, _ byte: Int, _ entry: SegmentEntry
    ) {
        found.damaged.append(LogDamage(segment: entry.name, byte: byte, reason: reason))
    }
}
