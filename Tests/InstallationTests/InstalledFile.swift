import Foundation

/// A file that is installed beside the program, read from the repository.
enum InstalledFile {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// All Swift below a folder, as one text.
    static func sources(below folder: String) throws -> String {
        let base = root.appending(path: folder)
        let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String }
        return try (names ?? []).filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: base.appending(path: $0), encoding: .utf8) }
            .joined(separator: "\n")
    }
}
