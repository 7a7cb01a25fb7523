import SensorModel

/// Makes a sealed segment of one that a crash or a failed disk left open.
///
/// The valid records go into a fresh, synced file before anybody calls them durable: what the
/// kernel shows after a crash may be memory that the disk never got.
struct SegmentRepair {
    let disk: any Disk
    let entry: SegmentEntry
    /// Records from this offset on are in a later segment too, which took over.
    let endOffset: UInt64
    /// That later segment holds records: then all before ``endOffset`` was on disk once, and what
    /// is missing of it is damage.
    let isFollowed: Bool

    struct Outcome {
        /// `nil`: nothing in it was worth keeping.
        var entry: SegmentEntry?
        var tornTail: TornTail?
        var damage: [LogDamage] = []
        /// The file is in its place, but a power loss may bring the old one back.
        var namesError: DiskError?
    }

    /// `entry` has a header.
    func run(_ header: SegmentHeader) throws(DiskError) -> Outcome {
        var outcome = Outcome()
        let file = try disk.open(entry.name, .read)
        var walk = SegmentWalk(file: file, header: header, end: entry.bytes)
        var next = header
        next.generation += 1
        var rewrite = try SegmentRewrite(next, on: disk)
        while try !rewrite.copy(&walk, before: endOffset) {
            let byte = walk.position
            let wasDurable = isFollowed ? true : try walk.wasDurable()
            guard wasDurable, let gap = try walk.resume(endOffset: nil) else {
                if !isFollowed { outcome.tornTail = try tornTail(walk) }
                break
            }
            outcome.damage.append(LogDamage(segment: entry.name, byte: byte, reason: .record))
            rewrite.skip(to: min(gap.to.rawValue, endOffset), reason: .damaged)
        }
        let end = rewrite.index.endOffset
        if isFollowed, end < endOffset, !Recovery.isJump(from: end, to: endOffset) {
            outcome.damage.append(
                LogDamage(segment: entry.name, byte: walk.position, reason: .record))
            rewrite.skip(to: endOffset, reason: .damaged)
        }
        let isEmpty = rewrite.index.endOffset == header.firstOffset
        guard !isEmpty else { return outcome }
        outcome.entry = try rewrite.seal()
        try rewrite.takePlace()
        // The old file is gone from here on, whatever fails.
        do throws(DiskError) { try disk.synchronizeNames() } catch { outcome.namesError = error }
        return outcome
    }

    private func tornTail(_ walk: SegmentWalk) throws(DiskError) -> TornTail? {
        let bytes = try walk.bytesUntilZeros()
        guard bytes > 0 else { return nil }
        return TornTail(segment: entry.name, byte: walk.position, bytes: bytes)
    }
}
