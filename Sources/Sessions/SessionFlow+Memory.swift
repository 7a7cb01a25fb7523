import Ingest

/// The memory limits that all sessions share.
extension SessionFlow {
    /// Applies the limits after a record of `newest`, which is never evicted for itself.
    func boundMemory(besides newest: LiveSession) {
        boundHiding()
        boundSessions(besides: newest)
    }

    /// Evicts sessions when all of them, with their splits and laps, exceed the limit: those
    /// without a connection first, then those with most splits and laps. Some more is freed at
    /// once, so that the search is rare. An evicted session can resume as after a restart.
    private func boundSessions(besides newest: LiveSession) {
        guard sessions.bytes > sessionBytesMax else { return }
        let largest = sessions.all.filter { $0 !== newest }.map { live in
            (live, isConnected: table.connection(of: live.id) != nil, live.summaryBytes)
        }.sorted {
            $0.isConnected == $1.isConnected ? $0.2 > $1.2 : $1.isConnected
        }
        for (live, _, _) in largest where sessions.bytes > sessionBytesMax / 64 * 63 {
            evict(live)
        }
    }
}
