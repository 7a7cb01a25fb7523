import SensorModel

/// Sessions that are erased together, and all their segments.
struct ErasureBatch: Hashable, Sendable {
    /// Maximum number of segments in a batch, unless a single session has more.
    static let segmentsMax = 64

    private(set) var sessions: Set<SessionID> = []
    private(set) var segments: Set<UInt64> = []

    /// Divides sessions into batches in the order of their segments, so that few share a segment.
    ///
    /// - Parameter places: Each session with the numbers of its segments, ascending; a session
    ///   without segments is left out.
    /// - Returns: Batches, the oldest segments first.
    static func batches(_ places: [(session: SessionID, segments: [UInt64])]) -> [ErasureBatch] {
        var batches: [ErasureBatch] = []
        var batch = ErasureBatch()
        let inOrder = places.filter { !$0.segments.isEmpty }
            .sorted { ($0.segments[0], $0.session) < ($1.segments[0], $1.session) }
        for (session, segments) in inOrder {
            if !batch.segments.isEmpty, batch.segments.union(segments).count > segmentsMax {
                batches.append(batch)
                batch = ErasureBatch()
            }
            batch.sessions.insert(session)
            batch.segments.formUnion(segments)
        }
        return batch.segments.isEmpty ? batches : batches + [batch]
    }
}

/// The prepared erasure of sessions from one segment.
struct PreparedErasure: Sendable {
    let part: ErasurePart
    let old: SegmentEntry
    /// The segment after the erasure.
    let fresh: SegmentEntry
    /// Bytes overwritten, or returned to the file system.
    let bytes: Int
}
