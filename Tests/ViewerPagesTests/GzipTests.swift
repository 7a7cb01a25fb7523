import Foundation
import Testing

@testable import ViewerPages

@Suite struct GzipTests {
    @Test(arguments: [0, 1, 2, 3, 17, 300, 5000, 70_000])
    func `What is compressed comes back as it was`(count: Int) throws {
        var generator = SeededGenerator(state: UInt64(count) + 1)
        let words = ["const ", "heartRate", "=> {", "\n", "return", "0x", "심박수", ";"]
        var source: [UInt8] = []
        while source.count < count {
            source += Array(words[Int.random(in: 0..<words.count, using: &generator)].utf8)
        }
        source = Array(source.prefix(count))
        #expect(try gunzip(Gzip.compress(source)) == source)
    }

    @Test func `Bytes without any pattern come back as they were`() throws {
        var generator = SeededGenerator(state: 7)
        let source = (0..<40_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(try gunzip(Gzip.compress(source)) == source)
    }

    /// By the system's own gzip, which knows nothing of ours.
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

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
