import SensorModel

/// One file of the log as a copy of it has to be.
package struct LogFile: Hashable, Sendable {
    package var name: String
    /// Sealed: it changes only where sessions are erased, and so does its fingerprint.
    package var isSealed: Bool
    /// To be copied: of an open segment as far as whole records go.
    package var bytes: Int
    /// Tells two files of one name apart, from their first and last bytes.
    package var fingerprint: UInt32
}

extension LogReader {
    private static let fingerprintBytes = 4096

    /// The segments, oldest first. One that was removed meanwhile is left out.
    ///
    /// - Throws: ``SegmentLogError``
    package func files() throws(SegmentLogError) -> [LogFile] {
        var files: [LogFile] = []
        for entry in entries {
            let bytes = entry.isSealed || entry.header == nil ? entry.bytes : entry.recordsEnd
            do throws(DiskError) {
                files.append(
                    LogFile(
                        name: entry.name, isSealed: entry.isSealed, bytes: bytes,
                        fingerprint: try Self.fingerprint(of: entry.name, bytes: bytes, on: disk)))
            } catch { throw .disk(error) }
        }
        return files
    }

    /// - Parameters:
    ///   - name: Of a segment.
    ///   - bytes: Of it.
    ///   - disk: Where it is.
    /// - Returns: Of the header, which says how often a segment was rewritten, and of the end, which
    ///   says how often sessions were erased from it in place.
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
