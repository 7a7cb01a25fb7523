import Foundation

/// A temporary folder that is removed after the test.
struct TemporaryFolder {
    let path: String

    static func with<Result>(
        _ body: (TemporaryFolder) async throws -> Result
    ) async throws -> Result {
        // Short, because it contains the admin socket, whose path may have at most 107 bytes.
        let path = "/tmp/pcs-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(TemporaryFolder(path: path))
    }

    func file(_ name: String) -> String { path + "/" + name }

    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
        return file(name)
    }
}
