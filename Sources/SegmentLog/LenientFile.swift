import Glibc
import Synchronization

/// A file whose unreadable blocks read as zeros, which never parse as a record.
///
/// A reader continues after such blocks as after any damage.
final class LenientFile: DiskFile {
    /// The smallest unit in which disks fail.
    private static let blockBytes = 4096

    private let file: any DiskFile
    private let unreadable = Mutex<[Range<Int>]>([])

    init(_ file: any DiskFile) { self.file = file }

    /// Ranges that were requested and could not be read, in the order of their discovery.
    var unreadableRanges: [Range<Int>] { unreadable.withLock { $0 } }

    func read(
        into bytes: inout [UInt8], from start: Int, at position: Int
    ) throws(DiskError) -> Int {
        do throws(DiskError) {
            return try file.read(into: &bytes, from: start, at: position)
        } catch {
            guard error.number == EIO else { throw error }
            return try readBlocks(into: &bytes, from: start, at: position)
        }
    }

    private func readBlocks(
        into bytes: inout [UInt8], from start: Int, at position: Int
    ) throws(DiskError) -> Int {
        let end = min(try file.size(), position + bytes.count - start)
        var next = position
        while next < end {
            let count = min(end - next, Self.blockBytes - next % Self.blockBytes)
            var block = [UInt8](repeating: 0, count: count)
            do throws(DiskError) {
                guard try file.fill(&block, from: 0, at: next) == count else { break }
            } catch {
                guard error.number == EIO else { throw error }
                block = [UInt8](repeating: 0, count: count)
                let range = next..<(next + count)
                unreadable.withLock { $0.append(range) }
            }
            let place = start + next - position
            bytes.replaceSubrange(place..<(place + count), with: block)
            next += count
        }
        return next - position
    }

    /// Writes the readable blocks over themselves and syncs. Takes no new space.
    ///
    /// After a crash the kernel may still return data that never reached the disk.
    func makeDurable() throws(DiskError) {
        let size = try file.size()
        var position = 0
        while position < size {
            let known = unreadableRanges.count
            let bytes = try readUp(to: min(1 << 20, size - position), at: position)
            guard !bytes.isEmpty else { break }
            var next = position
            for range in unreadableRanges[known...] {
                try copy(bytes, next..<range.lowerBound, at: position)
                next = range.upperBound
            }
            try copy(bytes, next..<(position + bytes.count), at: position)
            position += bytes.count
        }
        try file.synchronize()
    }

    private func copy(
        _ bytes: [UInt8], _ range: Range<Int>, at position: Int
    ) throws(DiskError) {
        guard !range.isEmpty else { return }
        let places = (range.lowerBound - position)..<(range.upperBound - position)
        try file.writeAll(bytes.span.extracting(places), at: range.lowerBound)
    }

    func write(_ bytes: Span<UInt8>, at position: Int) throws(DiskError) -> Int {
        try file.write(bytes, at: position)
    }

    func synchronize() throws(DiskError) { try file.synchronize() }

    func truncate(to bytes: Int) throws(DiskError) { try file.truncate(to: bytes) }

    func preallocate(_ bytes: Int) throws(DiskError) { try file.preallocate(bytes) }

    func size() throws(DiskError) -> Int { try file.size() }
}
