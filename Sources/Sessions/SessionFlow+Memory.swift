import Ingest

/// The memory limits that all sessions share.
extension SessionFlow {
    /// Called after a record of `newest`, which is never evicted for itself.
    func boundMemory(besides newest: LiveSession) {
        boundHiding()
        boundSummaries(besides: newest)
    }

    /// Evicts sessions when the splits and laps of all exceed the limit: those without a connection
    /// first, then those with most of them. A sixteenth is freed at once, so that the search is rare.
    /// An evicted session can resume as after a restart.
    private func boundSummaries(besides newest: LiveSession) {
        guard sessions.summaryBytes > summaryBytesMax else { return }
        // Sessions that are being rebuilt stay until they are complete.
        let largest = sessions.all.filter { $0 !== newest && $0.computation != nil }.map { live in
            (live, isConnected: table.connection(of: live.id) != nil, live.summaryBytes)
        }.sorted {
            $0.isConnected == $1.isConnected ? $0.2 > $1.2 : $1.isConnected
        }
        for (live, _, _) in largest where sessions.summaryBytes > summaryBytesMax / 16 * 15 {
            evict(live)
        }
    }
}
