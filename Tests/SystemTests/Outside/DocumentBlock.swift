import Foundation

/// A code block of a document, as a reader copies it.
struct DocumentBlock {
    /// `README.md:57`
    let place: String
    /// The second-level heading above the block.
    let section: String
    let language: String
    let lines: [String]
    /// Words that it must print, from `<!-- prints: … -->` after it.
    let words: [String]

    /// - Parameter path: Path from the repository.
    /// - Returns: Blocks in the order of the document.
    /// - Throws: Errors from reading the document.
    static func blocks(of path: String) throws -> [DocumentBlock] {
        let url = Program.root.appending(path: path)
        let lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
        var blocks: [DocumentBlock] = []
        var section = ""
        var start: Int?
        for (number, line) in lines.enumerated() {
            if let first = start {
                guard line == "```" else { continue }
                start = nil
                let after = lines[(number + 1)...].prefix(2).joined(separator: "\n")
                let words = after.firstMatch(of: /<!-- prints: (.*) -->/)?.1 ?? ""
                blocks.append(
                    DocumentBlock(
                        place: "\(path):\(first + 1)", section: section,
                        language: String(lines[first].dropFirst(3)),
                        lines: Array(lines[(first + 1)..<number]),
                        words: words.split(separator: ", ").map(String.init)))
            } else if line.hasPrefix("```") {
                start = number
            } else if line.hasPrefix("## ") {
                section = String(line.dropFirst(3))
            }
        }
        return blocks
    }

    /// Commands within sentences, such as `pulsecast doctor`.
    static func commandsInProse(of path: String) throws -> [String] {
        let url = Program.root.appending(path: path)
        var isProse = true
        var commands: [String] = []
        for line in try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n") {
            if line.hasPrefix("```") { isProse.toggle() }
            guard isProse else { continue }
            commands += line.matches(of: /`(pulsecast [a-z][^`]*)`/).map { String($0.1) }
        }
        return commands
    }
}
