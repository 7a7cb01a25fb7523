package import Registry
package import SegmentLog
package import SensorModel

/// Results of many sessions, computed a few at a time, so that a long list does not hold the
/// readers of the log: the first list of 1,000 sessions did for seconds.
extension SessionResults {
    /// Sessions computed in one turn of the pool, and stored in one commit of the registry.
    static let turnMax = 16

    /// Looks up results, and computes missing ones in turns. Between two turns it goes behind the
    /// readers that wait. What was computed is kept, even if the rest is refused or cancelled.
    ///
    /// - Parameters:
    ///   - sessions: Sessions, as the catalog lists them.
    ///   - limit: Results computed at most, in the order of `sessions`; each needs a read of the
    ///     log.
    ///   - pool: Runs the turns.
    ///   - party: Party that waits for them.
    /// - Returns: Results by session, without sessions beyond the limit and those that cannot be
    ///   read now.
    /// - Throws: ``ReadRefusal``
    package func results(
        of sessions: [SessionSummary], computingMost limit: Int = .max, in pool: ReadPool,
        for party: ReadParty
    ) async throws -> [SessionID: SessionResult] {
        var results = try await pool.run(for: party) { [self] _ in known(of: sessions) }
        let missing = Array(sessions.filter { results[$0.session] == nil }.prefix(limit))
        for start in stride(from: 0, to: missing.count, by: Self.turnMax) {
            let turn = Array(missing[start..<min(start + Self.turnMax, missing.count)])
            let computed = try await pool.run(for: party) { [self] ticket in
                try self.results(of: turn, isCancelled: { ticket.isCancelled })
            }
            results.merge(computed) { _, new in new }
        }
        return results
    }
}
