import Bytes

/// Reads the commits that SQLite appended to a write-ahead log since the last reading.
///
/// The log is a header and frames, one page each; the last frame of a commit has the database's
/// size. Numbers are big-endian. Each frame repeats the header's salts, and continues a checksum
/// over all frames before it. After a checkpoint SQLite begins again at the first frame, with other
/// salts. So older frames, and those of a transaction that was rolled back and overwritten in part,
/// do not match what precedes them.
///
/// Format: <https://www.sqlite.org/fileformat2.html#walformat>
struct WriteAheadLogReader {
    private static let headerBytes = 32
    private static let frameHeaderBytes = 24
    private static let version: UInt32 = 3_007_000
    /// The last bit is 1 if checksums are computed over big-endian words.
    private static let magic: UInt32 = 0x377F_0682

    /// Header of the log that was read last; empty: none was.
    private var header: [UInt8] = []
    /// Where the last commit ends.
    private var offset = 0
    /// Checksum up to ``offset``.
    private var checksum = Checksum(isBigEndian: false)

    /// Reads all commits after the last one that was read. Frames without a commit are left out.
    ///
    /// Nothing may be appended meanwhile.
    ///
    /// - Parameters:
    ///   - pages: Gets the newest version of each page, by its position in the database file.
    ///   - read: Reads bytes of the log at an offset; fewer only at its end.
    /// - Returns: Size of the database in bytes after the last commit; `nil`: there is no new one.
    /// - Throws: What `read` throws. The next call goes on after the commits in `pages`.
    mutating func readCommits(
        into pages: inout [Int: [UInt8]],
        _ read: (_ offset: Int, _ count: Int) throws -> [UInt8]
    ) rethrows -> Int? {
        let found = try read(0, Self.headerBytes)
        if found != header, !begin(found) { return nil }
        let pageBytes = Int(Self.number(in: header, at: 8))
        var next = (offset: offset, checksum: checksum)
        var transaction: [Int: [UInt8]] = [:]
        var databaseBytes: Int?
        while true {
            let frame = try read(next.offset, Self.frameHeaderBytes + pageBytes)
            let page = Int(Self.number(in: frame, at: 0))
            guard frame.count == Self.frameHeaderBytes + pageBytes, page > 0,
                frame[8..<16] == header[16..<24]
            else { return databaseBytes }
            next.checksum.add(frame, 0..<8)
            next.checksum.add(frame, Self.frameHeaderBytes..<frame.count)
            guard next.checksum.isStored(in: frame, at: 16) else { return databaseBytes }
            next.offset += frame.count
            transaction[(page - 1) * pageBytes] = Array(frame[Self.frameHeaderBytes...])
            let pageCount = Int(Self.number(in: frame, at: 4))
            guard pageCount > 0 else { continue }
            pages.merge(transaction) { $1 }
            transaction = [:]
            (offset, checksum) = next
            databaseBytes = pageCount * pageBytes
        }
    }

    /// - Returns: Whether it is a header; if so, reading begins at its first frame.
    private mutating func begin(_ found: [UInt8]) -> Bool {
        guard found.count == Self.headerBytes else { return false }
        let magic = Self.number(in: found, at: 0)
        let pageBytes = Self.number(in: found, at: 8)
        var sum = Checksum(isBigEndian: magic & 1 == 1)
        sum.add(found, 0..<24)
        guard magic & ~1 == Self.magic, Self.number(in: found, at: 4) == Self.version,
            (512...65_536).contains(pageBytes), pageBytes.nonzeroBitCount == 1,
            sum.isStored(in: found, at: 24)
        else { return false }
        (header, offset, checksum) = (found, Self.headerBytes, sum)
        return true
    }

    /// - Returns: The big-endian number; 0 beyond the end.
    fileprivate static func number(in bytes: [UInt8], at position: Int) -> UInt32 {
        bytes.count < position + 4 ? 0 : bytes.span.uint32(at: position).byteSwapped
    }
}

/// The checksum of a write-ahead log: two sums over pairs of words.
private struct Checksum {
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
    }

    /// - Parameters:
    ///   - bytes: Contains the range.
    ///   - range: A multiple of 8 bytes.
    mutating func add(_ bytes: [UInt8], _ range: Range<Int>) {
        let span = bytes.span
        for position in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
            let words = (span.uint32(at: position), span.uint32(at: position + 4))
            first &+= (isBigEndian ? words.0.byteSwapped : words.0) &+ second
            second &+= (isBigEndian ? words.1.byteSwapped : words.1) &+ first
        }
    }

    func isStored(in bytes: [UInt8], at position: Int) -> Bool {
        WriteAheadLogReader.number(in: bytes, at: position) == first
            && WriteAheadLogReader.number(in: bytes, at: position + 4) == second
    }
}
