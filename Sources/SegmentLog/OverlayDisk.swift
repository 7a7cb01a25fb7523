import Bytes

/// The log's folder as readers see it. A segment with an incomplete erasure reads as if the erasure
/// were complete.
package struct OverlayDisk: Disk {
    private let disk: any Disk

    package init(_ disk: any Disk) { self.disk = disk }

    package func open(_ name: String, _ access: DiskAccess) throws(DiskError) -> any DiskFile {
        guard access == .read, let number = SegmentFormat.number(ofFile: name) else {
            return try disk.open(name, access)
        }
        // The second attempt finds a part that takes effect during the first.
        if let file = try opened(name, number) { return file }
        if let file = try opened(name, number) { return file }
        return try disk.open(name, .read)
    }

    /// Opens a segment as readers see it; `nil` if its erasure has just changed.
    private func opened(
        _ name: String, _ number: UInt64
    ) throws(DiskError) -> (any DiskFile)? {
        // The file is opened first: if the intent is removed before it is read, the file is
        // complete.
        let file = try disk.open(name, .read)
        if let intent = try ErasureIntent.read(number, from: disk), try intent.isMeant(for: file) {
            return OverlayFile(file, intent.changes)
        }
        guard let part = ErasureCommit.readIfPossible(from: disk)?.part(of: number) else {
            return file
        }
        guard try part.isPrepared(on: disk) else { return nil }
        switch part.kind {
        case .replacement: return try disk.openIfThere(part.preparedName, .read)
        case .intent:
            return try ErasureIntent.read(part.preparedName, from: disk)
                .map { OverlayFile(file, $0.changes) }
        }
    }

    package func list() throws(DiskError) -> [String] { try disk.list() }

    package func rename(_ name: String, to target: String) throws(DiskError) {
        try disk.rename(name, to: target)
    }

    package func remove(_ name: String) throws(DiskError) { try disk.remove(name) }

    package func synchronizeNames() throws(DiskError) { try disk.synchronizeNames() }

    package func lock(_ name: String) throws(DiskError) -> any DiskFile { try disk.lock(name) }
}

/// A file that reads as if changes had been made in it.
private final class OverlayFile: DiskFile {
    private let file: any DiskFile
    /// Ascending and disjoint.
    private let changes: [ErasureIntent.Change]

    init(_ file: any DiskFile, _ changes: [ErasureIntent.Change]) {
        self.file = file
        self.changes = changes
    }

    func read(
        into bytes: inout [UInt8], from start: Int, at position: Int
    ) throws(DiskError) -> Int {
        let count = try file.read(into: &bytes, from: start, at: position)
        let end = position + count
        for change in changes[firstChange(after: position)...] {
            guard change.position < end else { break }
            for place in max(position, change.position)..<min(end, change.end) {
                let index = place - change.position
                bytes[start + place - position] =
                    index < change.content.count ? change.content[index] : 0
            }
        }
        return count
    }

    /// The index of the first change that ends after `position`.
    private func firstChange(after position: Int) -> Int {
        changes.partitioningIndex { $0.end > position }
    }

    func write(_ bytes: Span<UInt8>, at position: Int) throws(DiskError) -> Int {
        try file.write(bytes, at: position)
    }

    func synchronize() throws(DiskError) { try file.synchronize() }

    func truncate(to bytes: Int) throws(DiskError) { try file.truncate(to: bytes) }

    func preallocate(_ bytes: Int) throws(DiskError) { try file.preallocate(bytes) }

    func size() throws(DiskError) -> Int { try file.size() }
}
