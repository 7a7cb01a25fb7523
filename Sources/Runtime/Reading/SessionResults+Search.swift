import Registry
package import SegmentLog
package import SensorModel

/// Lists of the sessions that match a search.
extension SessionResults {
    /// Notes, or sessions, that one turn of the pool looks at: half a millisecond.
    private static let lookedAtMax = 1024

    /// Finds sessions in turns. Between two turns it goes behind the readers that wait.
    ///
    /// The first turns read all notes of the owner, for the order of notes is not that of sessions.
    /// The others go through the sessions until the page is full.
    ///
    /// - Parameters:
    ///   - owner: Owner of the sessions.
    ///   - before: Sessions that began before this record; `nil`: from the newest on.
    ///   - since: Sessions that started at this time or later; `nil`: all.
    ///   - limit: At least 1.
    ///   - search: What they match.
    ///   - pool: Runs the turns.
    ///   - party: Party that waits for them.
    /// - Returns: Sessions, newest first, and whether there are more.
    /// - Throws: ``ReadRefusal``, ``RegistryError``
    package func page(
        of owner: SessionCatalog.Owner, before: RecordOffset?, since: Timestamp?, limit: Int,
        matching search: SessionSearch, in pool: ReadPool, for party: ReadParty
    ) async throws -> (sessions: [SessionSummary], more: Bool) {
        let noted = try await noted(of: owner, matching: search, in: pool, for: party)
        var found: [SessionSummary] = []
        var next = before
        while found.count <= limit {
            let start = next
            let (more, matches) = try await pool.run(for: party) { [catalog] _ in
                let turn = catalog.page(
                    of: owner, before: start, since: since, limit: Self.lookedAtMax)
                let matches = turn.sessions.filter {
                    noted.contains($0.session) || search.isFound($0)
                }
                return (turn.more ? turn.sessions.last?.firstOffset : nil, matches)
            }
            found += matches
            guard let more else { break }
            next = more
        }
        return (Array(found.prefix(limit)), found.count > limit)
    }

    /// Sessions with a name or notes that match.
    private func noted(
        of owner: SessionCatalog.Owner, matching search: SessionSearch, in pool: ReadPool,
        for party: ReadParty
    ) async throws -> Set<SessionID> {
        let device: DeviceID?
        switch owner {
        case .anybody: device = nil
        case .device(let id): device = id
        // The notes of a device go with it.
        case .nobody: return []
        }
        var found: Set<SessionID> = []
        var last: SessionID?
        repeat {
            let start = last
            let turn = try await pool.run(for: party) { [registry] _ in
                try registry.noted(
                    of: device, after: start, limit: Self.lookedAtMax,
                    where: search.isFound(in:))
            }
            found.formUnion(turn.sessions)
            last = turn.last
        } while last != nil
        return found
    }
}
