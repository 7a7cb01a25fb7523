import SensorModel
import Synchronization

/// Removal of sessions and segments from the catalog.
extension SegmentLog {
    /// Voids entries before `sessions` are erased from their segments: the catalog must never
    /// describe the old content or name the sessions.
    func voidInCatalog(
        _ numbers: [UInt64], without sessions: Set<SessionID>
    ) throws(DiskError) {
        try catalog.withLock { state throws(DiskError) in
            // An earlier failure may have left the file.
            try Self.removeIfThere(CatalogFile.name + SegmentFormat.temporarySuffix, on: disk)
            guard let end = state.end else { return try removeCatalog(&state) }
            // An entry that was voided earlier names the sessions that were not erased then.
            let known = numbers.compactMap { number in
                (state.places[number] ?? state.voided[number]).map { (number, place: $0) }
            }
            guard !known.isEmpty || !state.stale.isEmpty else { return }
            let file = try disk.open(CatalogFile.name, .write)
            state.end = nil
            for (number, place) in known {
                let entry = try file.readUp(to: place.count, at: place.lowerBound)
                guard entry.count == place.count,
                    try Self.overwrite(
                        place, of: file,
                        with: CatalogFile.voided(
                            entry, of: number, at: place.lowerBound, without: sessions))
                else { return try removeCatalog(&state) }
                guard state.places.removeValue(forKey: number) != nil else { continue }
                state.voided[number] = place
                state.obsolete += 1
            }
            try Self.blankStale(in: file, &state)
            try file.synchronize()
            state.end = end
        }
    }

    /// Removes a catalog that is damaged or not known, in which no entry can be voided.
    private func removeCatalog(_ state: inout CatalogState) throws(DiskError) {
        try Self.removeIfThere(CatalogFile.name, on: disk)
        try disk.synchronizeNames()
        state = CatalogState(uncertain: state.uncertain)
    }

    /// Makes the entries of removed segments blank, because they name removed sessions.
    ///
    /// - Throws: ``DiskError``; ``saveCatalog()`` then writes the catalog anew.
    func forgetInCatalog(_ numbers: [UInt64]) throws(DiskError) {
        try catalog.withLock { state throws(DiskError) in
            for number in numbers { state.drop(number) }
            guard let end = state.end, !state.stale.isEmpty else { return }
            state.end = nil
            let file = try disk.open(CatalogFile.name, .write)
            try Self.blankStale(in: file, &state)
            try file.synchronize()
            state.end = end
        }
    }
}
