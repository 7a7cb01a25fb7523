import Glibc

extension DiskFile {
    /// Writes all bytes: a short write is continued, a write of 0 bytes is an error.
    package func writeAll(_ bytes: Span<UInt8>, at position: Int) throws(DiskError) {
        var written = 0
        while written < bytes.count {
            let count = try write(bytes.extracting(droppingFirst: written), at: position + written)
            guard count > 0 else { throw DiskError(call: .write, name: "", number: EIO) }
            written += count
        }
    }

    /// Reads up to `count` bytes, fewer at the end of the file.
    package func readUp(to count: Int, at position: Int) throws(DiskError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try fill(&bytes, from: 0, at: position)
        bytes.removeLast(count - read)
        return bytes
    }

    /// Reads into `bytes` from index `start` on, until it is full or the file ends.
    ///
    /// - Returns: The index after the last byte read.
    func fill(_ bytes: inout [UInt8], from start: Int, at position: Int) throws(DiskError) -> Int {
        var end = start
        while end < bytes.count {
            let count = try read(into: &bytes, from: end, at: position + end - start)
            guard count > 0 else { break }
            end += count
        }
        return end
    }
}
