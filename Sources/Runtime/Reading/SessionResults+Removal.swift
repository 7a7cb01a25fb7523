package import Registry
import SegmentLog
package import SensorModel
import Synchronization

/// Results of sessions that leave the log, or that it does not have.
extension SessionResults {
    /// Results that do not match the log.
    struct Unmatched: Hashable, Sendable {
        /// Sessions that ended before the log begins: retention has removed them.
        var removed: [SessionID] = []
        /// Sessions that the log lacks entirely although it should have them.
        var missing: [SessionID] = []
        /// Sessions whose newest records the log lacks.
        var shortened: [SessionID] = []
    }

    /// Deletes results and notes of sessions before the log removes them. None are stored until
    /// ``endRemoving(_:)``, so a crash in between leaves no result of a removed session. Results of
    /// a session that stays are computed again.
    ///
    /// - Returns: An error, unless the registry cannot be written now: then the deletion is
    ///   retried.
    package func beginRemoving(_ sessions: Set<SessionID>) -> Result<Void, RegistryError> {
        writing.withLock { removing in
            for session in sessions { removing[session, default: 0] += 1 }
        }
        return Result { () throws(RegistryError) in try delete(Array(sessions)) }
    }

    /// Called once the catalog no longer has the sessions.
    package func endRemoving(_ sessions: Set<SessionID>) {
        forgetRecent(sessions)
        writing.withLock { removing in
            for session in sessions {
                let count = (removing[session] ?? 1) - 1
                removing[session] = count > 0 ? count : nil
            }
        }
    }

    /// Compares all stored results of this log with the log. A stored result refers only to durable
    /// records, so one that the log lacks was lost with a file.
    ///
    /// - Throws: ``RegistryError``
    func unmatched() throws(RegistryError) -> Unmatched {
        let first = log.firstOffset
        let stored = try registry.resultOffsets(epoch: log.epoch)
        let last = catalog.lastOffsets(of: Array(stored.keys))
        var unmatched = Unmatched()
        for (session, offset) in stored {
            if let found = last[session] {
                if found < offset { unmatched.shortened.append(session) }
            } else if catalog.device(of: session) == nil {
                if offset < first {
                    unmatched.removed.append(session)
                } else {
                    unmatched.missing.append(session)
                }
            }
        }
        // Results are deleted before their session is. A result that still exists belongs to a
        // session that was not removed meanwhile.
        let left = try registry.results(of: unmatched.missing)
        let leaving = waiting.withLock { $0 }
        unmatched.missing.removeAll { left[$0] == nil || leaving.contains($0) }
        return unmatched
    }

    /// Deletes results and notes of sessions that were removed before a crash, or since the registry
    /// was copied, and finds sessions that the log lacks. Runs before results are computed again, because that hides lost ends.
    ///
    /// - Returns: Sessions that the log lacks in whole or in part.
    /// - Throws: ``RegistryError``
    package func reconcile() throws(RegistryError) -> Set<SessionID> {
        let unmatched = try unmatched()
        shortened.withLock { $0.formUnion(unmatched.shortened) }
        let noted = try notedWithoutSession()
        // A session with a result is missing, or of another log: the owner decides.
        let left = try registry.results(of: noted)
        try delete(unmatched.removed + noted.filter { left[$0] == nil })
        return Set(unmatched.missing).union(unmatched.shortened)
    }

    /// Sessions that the log lacks in whole or in part.
    ///
    /// - Throws: ``RegistryError``
    func lacking() throws(RegistryError) -> Set<SessionID> {
        let unmatched = try unmatched()
        return shortened.withLock { $0 }.union(unmatched.missing).union(unmatched.shortened)
    }

    /// Deletes results and notes of sessions that this log does not have.
    ///
    /// - Throws: ``RegistryError``
    func acceptLog() throws(RegistryError) {
        let unmatched = try unmatched()
        try delete(unmatched.removed + unmatched.missing + (try notedWithoutSession()))
        forgetRecent(unmatched.shortened)
        try registry.deleteResults(of: unmatched.shortened)
        try registry.deleteResults(exceptOfEpoch: log.epoch)
        shortened.withLock { $0 = [] }
    }

    /// Sessions with a note or a delivery that the log does not have.
    private func notedWithoutSession() throws(RegistryError) -> [SessionID] {
        try registry.notedSessions().filter { catalog.device(of: $0) == nil }
    }
}
