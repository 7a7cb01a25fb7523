import Synchronization

extension SegmentLog {
    private static let writeBytes = 1 << 20

    /// Adds the segments that were sealed or rewritten since the last call to the catalog.
    ///
    /// The next start then need not read them; without the catalog it only takes longer.
    ///
    /// - Throws: ``SegmentLogError/disk(_:)``; the next call tries again.
    public func saveCatalog() throws(SegmentLogError) {
        var failure: DiskError?
        upkeep.withLock { _ in
            let list = core.withLock { $0.catalog() }
            catalog.withLock { state in
                do throws(DiskError) {
                    if state.end == nil || state.isWorn {
                        try writeAnew(list, &state)
                    } else {
                        try appendNew(list, &state)
                    }
                } catch { failure = error }
            }
        }
        if let failure { throw .disk(failure) }
    }

    private func appendNew(
        _ list: SegmentList, _ state: inout CatalogState
    ) throws(DiskError) {
        guard let end = state.end else { return }
        let entries = settled(list).filter { state.places[$0.number] == nil }
        guard !entries.isEmpty || !state.stale.isEmpty else { return }
        for entry in entries { try makeCertain(entry, &state) }
        // A power loss must not restore a file that one of these has replaced.
        if !entries.isEmpty { try disk.synchronizeNames() }
        let file = try disk.open(CatalogFile.name, .write)
        // After a failure it is unknown which entries are in the file.
        state.end = nil
        var bytes: [UInt8] = []
        var fresh: [UInt64: Range<Int>] = [:]
        for entry in entries {
            // An entry of an erasure in place keeps its length.
            if let place = state.voided[entry.number] {
                var same: [UInt8] = []
                CatalogFile.append(entry, to: &same, from: place.lowerBound)
                if try Self.overwrite(place, of: file, with: same) {
                    fresh[entry.number] = place
                    continue
                }
            }
            let start = end + bytes.count
            CatalogFile.append(entry, to: &bytes, from: end)
            fresh[entry.number] = start..<(end + bytes.count)
        }
        if !bytes.isEmpty { try file.writeAll(bytes.span, at: end) }
        for (number, place) in fresh {
            let voided = state.voided.removeValue(forKey: number)
            if voided == place {
                state.obsolete -= 1
            } else if let voided {
                state.stale.append(voided)
            }
            state.places[number] = place
        }
        try Self.blankStale(in: file, &state)
        try file.synchronize()
        state.end = end + bytes.count
    }

    /// Overwrites entries that are not needed and may name sessions. The file is not synced yet.
    static func blankStale(
        in file: any DiskFile, _ state: inout CatalogState
    ) throws(DiskError) {
        for place in state.stale {
            try file.writeAll(CatalogFile.blank(place).span, at: place.lowerBound)
        }
        state.stale = []
    }

    /// Writes only the bytes that differ.
    ///
    /// - Returns: Whether `bytes` are as long as `place`; else nothing is written.
    static func overwrite(
        _ place: Range<Int>, of file: any DiskFile, with bytes: [UInt8]
    ) throws(DiskError) -> Bool {
        let old = try file.readUp(to: place.count, at: place.lowerBound)
        guard old.count == bytes.count else { return false }
        for change in ErasureIntent.changes(from: old, to: bytes, at: place.lowerBound) {
            try file.writeAll(change.content.span, at: change.position)
        }
        return true
    }

    /// Sealed segments whose files match their entries: half erased ones are left out.
    private func settled(_ list: SegmentList) -> [SegmentEntry] {
        let erasing = erasing.withLock { $0 }
        return list.filter { $0.isSealed && !erasing.contains($0.number) }
    }

    /// Rewrites a seal in place and syncs, if it may be only in the kernel's memory.
    private func makeCertain(
        _ entry: SegmentEntry, _ state: inout CatalogState
    ) throws(DiskError) {
        guard state.uncertain.contains(entry.number) else { return }
        if entry.header?.generation == 0 {
            let file = try disk.open(entry.name, .write)
            let seal = try file.readUp(to: entry.bytes - entry.recordsEnd, at: entry.recordsEnd)
            try file.writeAll(seal.span, at: entry.recordsEnd)
            try file.synchronize()
        }
        state.uncertain.remove(entry.number)
    }

    private func writeAnew(
        _ list: SegmentList, _ state: inout CatalogState
    ) throws(DiskError) {
        try disk.synchronizeNames()
        // After a failure it is unknown which of the files exists.
        state.end = nil
        let name = CatalogFile.name + SegmentFormat.temporarySuffix
        try Self.removeIfThere(name, on: disk)
        let file = try disk.open(name, .create)
        var fresh = CatalogState(end: 0)
        var end = 0
        var bytes = CatalogFile.magic
        for entry in settled(list) {
            try makeCertain(entry, &state)
            let start = end + bytes.count
            CatalogFile.append(entry, to: &bytes, from: end)
            fresh.places[entry.number] = start..<(end + bytes.count)
            guard bytes.count >= Self.writeBytes else { continue }
            try file.writeAll(bytes.span, at: end)
            end += bytes.count
            bytes.removeAll(keepingCapacity: true)
        }
        if !bytes.isEmpty { try file.writeAll(bytes.span, at: end) }
        try file.synchronize()
        try disk.rename(name, to: CatalogFile.name)
        try disk.synchronizeNames()
        fresh.end = end + bytes.count
        fresh.uncertain = state.uncertain
        state = fresh
    }
}
