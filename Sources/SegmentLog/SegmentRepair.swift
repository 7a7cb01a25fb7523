import SensorModel

/// Makes a sealed segment from one that a crash or a failed disk left open.
///
/// The valid records are copied to a new, synced file before they count as durable: after a crash
/// the kernel may return data that never reached the disk.
struct SegmentRepair {
    let disk: any Disk
    let entry: SegmentEntry
    /// Records from this offset on are also in a later segment, which took over.
    let endOffset: UInt64
    /// Whether that later segment holds records. Then everything before ``endOffset`` was on disk
    /// once, and missing records are damage.
    let isFollowed: Bool

    struct Outcome {
        /// `nil`: the segment contained no valid records.
        var entry: SegmentEntry?
        var tornTail: TornTail?
        var damage: [LogDamage] = []
        /// The file is in place, but a power loss may restore the old one.
        var namesError: DiskError?
    }

    /// Repairs the segment; `entry` must have a header.
    func run(_ header: SegmentHeader) throws(DiskError) -> Outcome {
        var outcome = Outcome()
        let file = try disk.open(entry.name, .read)
        var walk = SegmentWalk(file: file, header: header, end: entry.bytes)
        var next = header
        next.generation += 1
        var rewrite = try SegmentRewrite(next, of: entry.bytes, on: disk)
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
        // From here on the old file is gone, even if the names cannot be synced.
        do throws(DiskError) { try disk.synchronizeNames() } catch { outcome.namesError = error }
        return outcome
    }

    private func tornTail(_ walk: SegmentWalk) throws(DiskError) -> TornTail? {
        let bytes = try walk.bytesUntilZeros()
        guard bytes > 0 else { return nil }
        return TornTail(segment: entry.name, byte: walk.position, bytes: bytes)
    }
}
