import Compression
import Foundation
import MutatedBytes
import Testing

/// Archives as other programs read them: Python's zipfile, and Info-ZIP's unzip.
@Suite struct ZipWriterTests {
    private static let second: Int64 = 1_796_099_982  // 2026-12-01 04:39:42

    private struct Entry: Decodable, Equatable {
        let name: String
        let bytes: Int
        let check: UInt32
        let time: [Int]
        let mode: Int
    }

    private static let reader = """
        import json, sys, zipfile
        with zipfile.ZipFile(sys.argv[1]) as archive:
            broken = archive.testzip()
            assert broken is None, broken
            print(json.dumps([
                {"name": i.filename, "bytes": i.file_size, "check": i.CRC,
                 "time": i.date_time, "mode": i.external_attr >> 16}
                for i in archive.infolist()]))
        """

    private func run(_ program: String, _ arguments: [String]) throws -> (Data, status: Int32) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (data, process.terminationStatus)
    }

    /// Reads an archive with both programs; `start` bytes of nothing come before it.
    private func read(_ archive: [UInt8], after start: UInt64 = 0) throws -> [Entry] {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).zip").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try #require(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seek(toOffset: start)
        try file.write(contentsOf: Data(archive))
        try file.close()
        let (listing, status) = try run("python3", ["-c", Self.reader, path])
        try #require(status == 0)
        // Of an empty archive unzip only warns, with 1.
        let judged = try run("unzip", ["-tqq", path]).status
        #expect(judged == (listing.count > 3 ? 0 : 1))
        return try JSONDecoder().decode([Entry].self, from: listing)
    }

    private func add(
        _ parts: [[UInt8]], as name: String, isLarge: Bool = false, to zip: inout ZipWriter
    ) -> [UInt8] {
        var bytes = zip.begin(name, second: Self.second, isLarge: isLarge)
        for part in parts { bytes += zip.append(DeflatedPart(part)) }
        return bytes + zip.end()
    }

    @Test(arguments: [false, true])
    func `Files come out with their names, times and bytes`(isLarge: Bool) throws {
        var generator = SeededGenerator(seed: 3)
        let noise = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let files: [(name: String, parts: [[UInt8]])] = [
            ("README.txt", [Array("one\n".utf8)]), ("empty", []), ("nothing", [[]]),
            ("sessions/심박수.csv", (0..<50).map { Array("\($0),120,48.1\n".utf8) }),
            ("noise", [Array(noise.prefix(1)), Array(noise[1..<66_000]), Array(noise[66_000...])]),
            ("long", [[UInt8](repeating: 7, count: 5 << 20)]),
        ]
        var zip = ZipWriter()
        var archive = files.flatMap { add($0.parts, as: $0.name, isLarge: isLarge, to: &zip) }
        archive += zip.finish()
        let entries = try read(archive)
        #expect(entries.map(\.name) == files.map(\.name))
        #expect(entries.map(\.bytes) == files.map { $0.parts.joined().count })
        #expect(entries.allSatisfy { $0.time == [2026, 12, 1, 4, 39, 42] && $0.mode == 0o100600 })
    }

    @Test func `An archive of nothing is an archive`() throws {
        var zip = ZipWriter()
        #expect(try read(zip.finish()).isEmpty)
    }

    @Test func `More files than 16 bits can count are all there`() throws {
        var zip = ZipWriter()
        var archive: [UInt8] = []
        for number in 0..<65_600 { archive += add([], as: "\(number)", to: &zip) }
        archive += zip.finish()
        #expect(try read(archive).map(\.name) == (0..<65_600).map(String.init))
    }

    @Test(arguments: [UInt64(UInt32.max) - 60, 5 << 30])
    func `Files behind the fourth gigabyte are found`(start: UInt64) throws {
        var zip = ZipWriter(after: start)
        var archive = add([Array("near".utf8)], as: "a", to: &zip)
        archive += add([Array("far".utf8)], as: "b", isLarge: true, to: &zip)
        archive += add([Array("farther".utf8)], as: "c", to: &zip)
        archive += zip.finish()
        #expect(try read(archive, after: start).map(\.bytes) == [4, 3, 7])
    }

    @Test(
        arguments: [
            (-1, [1980, 1, 1, 0, 0, 0]), (315_532_801, [1980, 1, 1, 0, 0, 0]),
            (1_709_164_801, [2024, 2, 29, 0, 0, 0]), (.max, [2107, 12, 31, 23, 59, 58]),
        ] as [(Int64, [Int])])
    func `A time outside what ZIP knows becomes the nearest`(
        second: Int64, time: [Int]
    ) throws {
        var zip = ZipWriter()
        let archive = zip.begin("a", second: second, isLarge: false) + zip.end() + zip.finish()
        #expect(try read(archive).map(\.time) == [time])
    }
}
