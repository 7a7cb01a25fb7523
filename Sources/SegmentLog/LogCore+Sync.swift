/// Work of the sync thread.
extension LogCore {
    struct SyncWork {
        var file: any DiskFile
        /// Number of records that no earlier sync included.
        var records: Int
        fileprivate var segment: UInt64
        fileprivate var endOffset: UInt64
        fileprivate var endPosition: Int
        fileprivate var chunks: Int
    }

    /// `nil`: there is nothing to sync, or a sync is running.
    mutating func nextSync() -> SyncWork? {
        guard state == .writing, !isSyncing, let file, let active = entries.last?.number,
            writtenPosition > durablePosition
        else { return nil }
        isSyncing = true
        return SyncWork(
            file: file, records: retained.reduce(0) { $0 + $1.records }, segment: active,
            endOffset: writtenEnd, endPosition: writtenPosition,
            chunks: retained.count)
    }

    mutating func synced(_ work: SyncWork) {
        isSyncing = false
        // A write failed meanwhile: the descriptor is not trusted any more.
        guard state == .writing else { return }
        durablePosition = work.endPosition
        if draft.header.number == work.segment { draft.durableBytes = work.endPosition }
        guard configuration.durability.isDurable else { return }
        durableEnd = work.endOffset
        for chunk in retained[..<work.chunks] {
            retainedBytes -= chunk.count
            line.recycle(chunk)
        }
        retained.removeFirst(work.chunks)
    }
}
