import Glibc
import SegmentLog

/// Copies files between folders; reads each copy back and compares it.
struct FileCopy {
    private static let blockBytes = 1 << 20
    static let temporarySuffix = ".partial"

    let source: any Disk
    let target: any Disk

    /// - Parameters:
    ///   - name: Name in the source.
    ///   - bytes: Bytes to copy, from the beginning.
    ///   - stored: Called with the checksum once the copy is whole and on disk. Returns the copy's
    ///     name in the target, or `nil` for none. An existing file of that name is identical.
    /// - Returns: The checksum and the name; `nil` if the copy got none.
    /// - Throws: ``DiskError``, ``BackupError/damaged(file:)``, and errors of `stored`.
    func copy(
        _ name: String, bytes: Int, as stored: (UInt32) throws -> String?
    ) throws -> (checksum: UInt32, stored: String)? {
        let temporary = name + Self.temporarySuffix
        try Self.removeIfThere(temporary, on: target)
        let file = try source.open(name, .read)
        let copy = try target.open(temporary, .create)
        var checksum = Checksum.start
        var position = 0
        while position < bytes {
            let block = try file.readUp(to: min(Self.blockBytes, bytes - position), at: position)
            guard !block.isEmpty else { throw BackupError.damaged(file: name) }
            checksum.feed(block.span)
            try copy.writeAll(block.span, at: position)
            position += block.count
        }
        try copy.synchronize()
        let final = checksum.final
        guard try Self.checksum(of: temporary, bytes: bytes, on: target) == final else {
            throw BackupError.damaged(file: temporary)
        }
        guard let place = try stored(final) else { return nil }
        try target.rename(temporary, to: place)
        return (final, place)
    }

    /// - Returns: `nil` if the file is missing or has another size.
    static func checksum(of name: String, bytes: Int, on disk: any Disk) throws -> UInt32? {
        let file: any DiskFile
        do throws(DiskError) { file = try disk.open(name, .read) } catch {
            guard error.number == ENOENT else { throw error }
            return nil
        }
        guard try file.size() == bytes else { return nil }
        var checksum = Checksum.start
        var position = 0
        while position < bytes {
            let block = try file.readUp(to: min(blockBytes, bytes - position), at: position)
            guard !block.isEmpty else { return nil }
            checksum.feed(block.span)
            position += block.count
        }
        return checksum.final
    }

    static func removeIfThere(_ name: String, on disk: any Disk) throws(DiskError) {
        do throws(DiskError) { try disk.remove(name) } catch {
            guard error.number == ENOENT else { throw error }
        }
    }
}
