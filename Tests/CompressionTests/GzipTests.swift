import Compression
import Foundation
import MutatedBytes
import Testing

@Suite struct GzipTests {
    @Test(arguments: [0, 1, 2, 3, 17, 300, 5000, 70_000])
    func `What is compressed comes back as it was`(count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count) + 1)
        let words = ["const ", "heartRate", "=> {", "\n", "return", "0x", "심박수", ";"]
        var source: [UInt8] = []
        while source.count < count {
            source += Array(words[Int.random(in: 0..<words.count, using: &generator)].utf8)
        }
        source = Array(source.prefix(count))
        let compressed = Gzip.compress(source)
        #expect(try gunzip(compressed) == source)
        #expect(try Gzip.expand(compressed) { _ in true } == source)
        #expect(Gzip.recognizes(compressed) && !Gzip.recognizes(source))
    }

    @Test func `What would become too much is not expanded further`() throws {
        let bomb = Gzip.compress([UInt8](repeating: 0, count: 64 << 20))
        #expect(bomb.count < 100_000)
        var most = 0
        #expect(throws: Gzip.Failure.noRoom) {
            try Gzip.expand(bomb) { bytes in
                most = bytes
                return bytes <= 8 << 20
            }
        }
        #expect((8 << 20..<9 << 20).contains(most))
    }

    @Test func `Damaged bytes are refused or come out, and nothing worse`() throws {
        var generator = SeededGenerator(seed: 11)
        let source = (0..<5000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let whole = Gzip.compress(source)
        for cut in 0..<whole.count {
            #expect(throws: Gzip.Failure.malformed) {
                try Gzip.expand(Array(whole.prefix(cut))) { _ in true }
            }
        }
        for _ in 0..<2000 {
            var damaged = whole
            damaged[Int.random(in: 0..<whole.count, using: &generator)] ^= .random(
                in: 1...255, using: &generator)
            // The frame's checksum detects damage that its other fields do not.
            let expanded = try? Gzip.expand(damaged) { $0 < 1 << 22 }
            #expect(expanded == nil || expanded == source)
        }
    }

    @Test func `Bytes without any pattern come back as they were`() throws {
        var generator = SeededGenerator(seed: 7)
        let source = (0..<40_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(try gunzip(Gzip.compress(source)) == source)
    }

    /// Decompresses the bytes with the system's gzip, an independent implementation.
    private func gunzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gz")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/gzip")
        process.arguments = ["-dc", file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return Array(data)
    }
}
