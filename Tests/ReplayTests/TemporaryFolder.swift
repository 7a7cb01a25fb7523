import Foundation

/// A folder of a test's own, removed with the last reference.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appending(path: "pulsecast-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A leftover in the system's temporary folder is harmless.
        try? FileManager.default.removeItem(atPath: path)
    }
}
