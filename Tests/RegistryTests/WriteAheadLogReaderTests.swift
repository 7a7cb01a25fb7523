import Testing

@testable import Registry

/// Logs that are written frame by frame, also as a crash or an older log leaves them.
@Suite struct WriteAheadLogReaderTests {
    /// Writes a log as the file format describes it.
    private struct Log {
        static let pageBytes = 512
        static let frameBytes = 24 + pageBytes

        var bytes: [UInt8] = []
        private let isBigEndian: Bool
        private var sums: (UInt32, UInt32) = (0, 0)
        private var salts: [UInt8] = []
        private var end = 0

        init(isBigEndian: Bool = false, salt: UInt32 = 1) {
            self.isBigEndian = isBigEndian
            begin(salt: salt)
        }

        /// Begins at the first frame again; older frames stay in the file.
        mutating func begin(salt: UInt32) {
            salts = Self.big(salt) + Self.big(salt &* 77)
            sums = (0, 0)
            end = 0
            let header =
                Self.big(isBigEndian ? 0x377F_0683 : 0x377F_0682) + Self.big(3_007_000)
                + Self.big(UInt32(Self.pageBytes)) + Self.big(9) + salts
            add(header)
            write(header + stored)
        }

        /// `size`: pages of the database, if a commit ends here.
        mutating func append(page: UInt32, _ fill: UInt8, size: UInt32 = 0) {
            let content = [UInt8](repeating: fill, count: Self.pageBytes)
            let head = Self.big(page) + Self.big(size)
            add(head)
            add(content)
            write(head + salts + stored + content)
        }

        /// The next frame is written over the last ones, as after a rollback.
        mutating func rollBack(to other: Log) { (sums, end) = (other.sums, other.end) }

        private var stored: [UInt8] { Self.big(sums.0) + Self.big(sums.1) }

        private mutating func write(_ new: [UInt8]) {
            bytes.replaceSubrange(end..<min(end + new.count, bytes.count), with: new)
            end += new.count
        }

        private mutating func add(_ new: [UInt8]) {
            for start in stride(from: 0, to: new.count, by: 8) {
                sums.0 = sums.0 &+ word(new, start) &+ sums.1
                sums.1 = sums.1 &+ word(new, start + 4) &+ sums.0
            }
        }

        private func word(_ new: [UInt8], _ start: Int) -> UInt32 {
            let word = new[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return isBigEndian ? word : word.byteSwapped
        }

        private static func big(_ number: UInt32) -> [UInt8] {
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }

    /// Fill of each page by its number, and the size in pages.
    private struct Found: Equatable {
        var fills: [Int: UInt8] = [:]
        var size: Int?
    }

    private static func read(
        _ bytes: [UInt8], with reader: inout WriteAheadLogReader
    ) -> Found {
        var pages: [Int: [UInt8]] = [:]
        let size = reader.readCommits(into: &pages) { offset, count in
            Array(bytes.dropFirst(offset).prefix(count))
        }
        var found = Found(size: size.map { $0 / Log.pageBytes })
        for (position, content) in pages {
            #expect(content == [UInt8](repeating: content[0], count: Log.pageBytes))
            found.fills[position / Log.pageBytes + 1] = content[0]
        }
        return found
    }

    @Test(arguments: [false, true])
    func `Commits are read once, and the newest version of a page counts`(isBigEndian: Bool) {
        var log = Log(isBigEndian: isBigEndian)
        var reader = WriteAheadLogReader()
        #expect(Self.read(log.bytes, with: &reader) == Found())
        log.append(page: 1, 0xA1)
        log.append(page: 3, 0xA3)
        log.append(page: 1, 0xB1, size: 3)
        log.append(page: 2, 0xC2, size: 5)
        #expect(
            Self.read(log.bytes, with: &reader)
                == Found(fills: [1: 0xB1, 2: 0xC2, 3: 0xA3], size: 5))
        #expect(Self.read(log.bytes, with: &reader) == Found())
        log.append(page: 2, 0xD2, size: 5)
        #expect(Self.read(log.bytes, with: &reader) == Found(fills: [2: 0xD2], size: 5))
    }

    @Test func `What was rolled back is left out, also where newer frames end before it`() {
        var log = Log()
        log.append(page: 1, 1, size: 9)
        let committed = log
        for page in UInt32(2)...9 { log.append(page: page, 0xEE) }
        var reader = WriteAheadLogReader()
        #expect(Self.read(log.bytes, with: &reader) == Found(fills: [1: 1], size: 9))
        log.rollBack(to: committed)
        log.append(page: 4, 4)
        log.append(page: 5, 5, size: 9)
        #expect(log.bytes.count == 32 + 9 * Log.frameBytes)
        #expect(Self.read(log.bytes, with: &reader) == Found(fills: [4: 4, 5: 5], size: 9))
        log.append(page: 6, 6, size: 9)
        #expect(Self.read(log.bytes, with: &reader) == Found(fills: [6: 6], size: 9))
    }

    @Test func `A log that began again is read from its first frame, without older ones`() {
        var log = Log()
        for page in UInt32(1)...6 { log.append(page: page, 1, size: 6) }
        var reader = WriteAheadLogReader()
        #expect(Self.read(log.bytes, with: &reader).fills.count == 6)
        log.begin(salt: 2)
        #expect(Self.read(log.bytes, with: &reader) == Found())
        log.append(page: 2, 2, size: 7)
        #expect(Self.read(log.bytes, with: &reader) == Found(fills: [2: 2], size: 7))
        // An empty log, as after it was truncated, then another one that is as long as before.
        #expect(Self.read([], with: &reader) == Found())
        var other = Log(salt: 3)
        other.append(page: 5, 5, size: 8)
        #expect(Self.read(other.bytes, with: &reader) == Found(fills: [5: 5], size: 8))
    }

    @Test func `A torn tail ends the reading at the last whole commit`() {
        var log = Log()
        log.append(page: 1, 1, size: 2)
        log.append(page: 2, 2)
        log.append(page: 1, 3, size: 2)
        let ends = [1, 3].map { 32 + $0 * Log.frameBytes }
        for count in 0..<log.bytes.count {
            var reader = WriteAheadLogReader()
            let torn = Self.read(Array(log.bytes.prefix(count)), with: &reader)
            #expect(torn == (count < ends[0] ? Found() : Found(fills: [1: 1], size: 2)))
            // Reading goes on where the last commit ended.
            let rest = Self.read(log.bytes, with: &reader)
            #expect(rest == Found(fills: [1: 3, 2: 2], size: 2))
        }
    }

    @Test func `A changed byte ends the reading before its frame`() {
        var log = Log()
        for page in UInt32(1)...4 { log.append(page: page, UInt8(page), size: 4) }
        for position in stride(from: 0, to: log.bytes.count, by: 3) {
            var bytes = log.bytes
            bytes[position] ^= 0x10
            var reader = WriteAheadLogReader()
            let whole = position < 32 ? 0 : (position - 32) / Log.frameBytes
            let fills = (0..<whole).map { ($0 + 1, UInt8($0 + 1)) }
            let expected = Found(
                fills: Dictionary(uniqueKeysWithValues: fills), size: whole == 0 ? nil : 4)
            #expect(Self.read(bytes, with: &reader) == expected, "byte \(position)")
        }
    }
}
