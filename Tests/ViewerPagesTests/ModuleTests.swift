import Foundation
import Testing

/// The pages' JavaScript modules that run without a browser.
@Suite struct ModuleTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "js")
    private static let node = ["/usr/bin/node", "/usr/local/bin/node", "/usr/bin/nodejs"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(.enabled(if: node != nil, "node is missing: apt-get install nodejs"))
    func `The modules of the pages pass their own tests`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let files = names.filter { $0.hasSuffix(".test.mjs") }.sorted()
        #expect(!files.isEmpty)
        let process = Process()
        process.executableURL = URL(filePath: Self.node ?? "")
        process.arguments = ["--test"] + files.map { Self.folder.appending(path: $0).path }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let failures = String(decoding: data, as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("not ok") || $0.contains("✖") }
        #expect(process.terminationStatus == 0, "\(failures.joined(separator: "\n"))")
    }
}
