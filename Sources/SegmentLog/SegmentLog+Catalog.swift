import Glibc
import SensorModel
import Synchronization

/// What the log knows of its file `catalog`. Under the lock `upkeep`, or nobody shares the log yet.
struct CatalogState: Sendable {
    /// Where the next entry goes; `nil`: the file is to be written anew.
    var end: Int?
    /// Segments whose entries stand in it.
    var numbers: Set<UInt64> = []
    /// Entries that say nothing any more.
    var obsolete = 0

    /// More than half of it, and not few.
    var isWorn: Bool { obsolete > numbers.count + 1000 }
}

extension SegmentLog {
    private static let writeBytes = 1 << 20

    /// Adds to the catalog what has been sealed or rewritten since the last time, so that the next
    /// start need not ask those segments. Without it that start takes longer, and that is all.
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
        var bytes: [UInt8] = []
        var fresh: [UInt64] = []
        for entry in list where entry.isSealed && !state.numbers.contains(entry.number) {
            CatalogFile.append(entry, to: &bytes, from: end)
            fresh.append(entry.number)
        }
        guard !fresh.isEmpty else { return }
        // A power loss must not bring back a file that one of these has replaced.
        try disk.synchronizeNames()
        try append(bytes, &state)
        state.numbers.formUnion(fresh)
    }

    private func append(_ bytes: [UInt8], _ state: inout CatalogState) throws(DiskError) {
        guard let end = state.end else { return }
        let file = try disk.open(CatalogFile.name, .write)
        try file.writeAll(bytes.span, at: end)
        try file.synchronize()
        state.end = end + bytes.count
    }

    private func writeAnew(
        _ list: SegmentList, _ state: inout CatalogState
    ) throws(DiskError) {
        try disk.synchronizeNames()
        let name = CatalogFile.name + SegmentFormat.temporarySuffix
        try Self.removeIfThere(name, on: disk)
        let file = try disk.open(name, .create)
        var fresh = CatalogState(end: 0)
        var end = 0
        var bytes = CatalogFile.magic
        for entry in list where entry.isSealed {
            CatalogFile.append(entry, to: &bytes, from: end)
            fresh.numbers.insert(entry.number)
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
        state = fresh
    }

    /// Before the file of a segment is replaced: a catalog must never say of it what it was.
    func voidInCatalog(_ number: UInt64) throws(DiskError) {
        try catalog.withLock { state throws(DiskError) in
            guard state.numbers.contains(number) else { return }
            guard let end = state.end else {
                // One with damage, in which nothing can be taken back.
                try Self.removeIfThere(CatalogFile.name, on: disk)
                try disk.synchronizeNames()
                state = CatalogState()
                return
            }
            var bytes: [UInt8] = []
            CatalogFile.append(voided: number, to: &bytes, from: end)
            try append(bytes, &state)
            state.numbers.remove(number)
            state.obsolete += 2
        }
    }

    /// The file of a segment is gone: its entry says nothing to a start that does not find the file.
    func forgetInCatalog(_ number: UInt64) {
        catalog.withLock { state in
            if state.numbers.remove(number) != nil { state.obsolete += 1 }
        }
    }
}

extension CatalogFile {
    /// The segments of a folder: those that the catalog knows by what it says, the others and the
    /// newest by themselves.
    ///
    /// - Parameters:
    ///   - numbers: Of the files that are there, ascending.
    ///   - disk: The folder.
    ///   - content: What the catalog says.
    ///   - isGoneAllowed: Whether files may be taken away meanwhile, by retention of another process.
    /// - Returns: One for each number, ascending.
    /// - Throws: ``SegmentLogError``
    static func segments(
        _ numbers: [UInt64], on disk: any Disk, knowing content: Content, isGoneAllowed: Bool
    ) throws(SegmentLogError) -> [SegmentEntry] {
        var entries: [SegmentEntry] = []
        var epoch: UInt32?
        for number in numbers.reversed() {
            // Of another history is what was left when somebody took the segments away.
            if let known = content.entries[number], let epoch, known.header?.epoch == epoch {
                entries.append(known)
                continue
            }
            do throws(SegmentLogError) {
                let entry = try SegmentEntry.load(number, from: disk)
                epoch = epoch ?? entry.header?.epoch
                entries.append(entry)
            } catch {
                guard isGoneAllowed, case .disk(let cause) = error, cause.number == ENOENT else {
                    throw error
                }
            }
        }
        return entries.reversed()
    }
}
