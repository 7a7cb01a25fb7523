import Glibc
import SensorModel

/// One file of the log, and how much of it a copy needs.
package struct LogFile: Hashable, Sendable {
    package var name: String
    /// Whether the segment is sealed. Then only erasures change it, and its fingerprint with it.
    package var isSealed: Bool
    /// Number of bytes to copy: in an open segment up to the end of whole records.
    package var bytes: Int
    /// Distinguishes two files with the same name, by their first and last bytes.
    package var fingerprint: UInt32
}

extension LogReader {
    private static let fingerprintBytes = 4096

    /// Returns the segments, oldest first, without those that retention has just removed.
    ///
    /// A segment that could not be read completely counts with all its bytes. So its copy is whole
    /// or fails, and nothing is left out silently.
    ///
    /// - Throws: ``SegmentLogError``
    package func files() throws(SegmentLogError) -> [LogFile] {
        var files: [LogFile] = []
        for entry in entries {
            do throws(DiskError) {
                let bytes = try Self.bytesToCopy(of: entry, on: disk)
                files.append(
                    LogFile(
                        name: entry.name, isSealed: entry.isSealed, bytes: bytes,
                        fingerprint: try Self.fingerprint(of: entry.name, bytes: bytes, on: disk)))
            } catch {
                // Retention removed it meanwhile.
                guard error.number != ENOENT else { continue }
                throw .disk(error)
            }
        }
        return files
    }

    private static func bytesToCopy(
        of entry: SegmentEntry, on disk: any Disk
    ) throws(DiskError) -> Int {
        if entry.isPutAside { return try disk.open(entry.name, .read).size() }
        let isKnown = entry.header != nil && !entry.isSealed && !entry.isIndexUncertain
        return isKnown ? entry.recordsEnd : entry.bytes
    }

    /// - Parameters:
    ///   - name: Name of a segment's file.
    ///   - bytes: Size of the file.
    ///   - disk: The folder of the file.
    /// - Returns: A hash of the header, which contains the number of rewrites, and of the end,
    ///   which contains the number of erasures in place.
    /// - Throws: ``DiskError``
    package static func fingerprint(
        of name: String, bytes: Int, on disk: any Disk
    ) throws(DiskError) -> UInt32 {
        let file = try disk.open(name, .read)
        var checksum = Checksum.start
        let head = try file.readUp(to: min(bytes, fingerprintBytes), at: 0)
        checksum.feed(head.span)
        let end = max(0, bytes - fingerprintBytes)
        let tail = try file.readUp(to: bytes - end, at: end)
        checksum.feed(tail.span)
        return checksum.final
    }
}
