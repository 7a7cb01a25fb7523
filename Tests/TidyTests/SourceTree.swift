import Foundation

/// The repository's own text, as the style rules see it.
struct SourceTree {
    struct File {
        /// Relative to the repository.
        let path: String
        let lines: [String]

        var name: String { String(path.split(separator: "/").last ?? "") }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Every file below `folder` with one of the extensions, in order of path.
    static func files(below folder: String, extensions: Set<String>) -> [File] {
        let base = root.appending(path: folder)
        guard
            let walk = FileManager.default.enumerator(
                at: base, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
        else { return [] }
        var files: [File] = []
        for case let url as URL in walk where extensions.contains(url.pathExtension) {
            guard let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
            let path = String(url.path.dropFirst(root.path.count + 1))
            files.append(File(path: path, lines: text.components(separatedBy: "\n")))
        }
        return files.sorted { $0.path < $1.path }
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}

/// A breach of a rule: the place, the problem, and the remedy.
struct Finding: CustomStringConvertible, Hashable {
    let path: String
    let line: Int
    let rule: String

    var description: String { "\(path):\(line): \(rule)" }
}
