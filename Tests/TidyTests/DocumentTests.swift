import Foundation
import Testing

/// Compares the documents with the source tree.
@Suite struct DocumentTests {
    private static let documents =
        SourceTree.files(below: "Sources", extensions: ["md"])
        + SourceTree.files(below: "config", extensions: ["md"])
        + ["README.md"].compactMap { path in
            (try? SourceTree.text(path)).map {
                SourceTree.File(path: path, lines: $0.components(separatedBy: "\n"))
            }
        }
    private static let entrance = "Sources/README.md"
    private static let architecture = "Sources/Documentation/Architecture.md"

    /// A link with its place, the target file (empty: the same file) and the heading in it.
    private struct Link {
        let place: String
        let path: String
        let anchor: String
    }

    @Test func `Links and anchors in the documents lead somewhere`() throws {
        #expect(Self.documents.count > 50)
        let anchors = Dictionary(
            uniqueKeysWithValues: Self.documents.map { ($0.path, Self.anchors(of: $0)) })
        for link in Self.documents.flatMap(Self.links) {
            let target = SourceTree.root.appending(path: link.path)
            #expect(
                FileManager.default.fileExists(atPath: target.path),
                "\(link.place) links to \(link.path), which is not there")
            guard !link.anchor.isEmpty, let headings = anchors[link.path] else { continue }
            #expect(
                headings.contains(link.anchor),
                "\(link.place) links to \(link.path)#\(link.anchor), which is no heading there")
        }
    }

    @Test func `Every document can be reached from the entrance`() {
        var reached: Set<String> = []
        var waiting = [Self.entrance, "README.md"]
        while let path = waiting.popLast() {
            guard reached.insert(path).inserted,
                let document = Self.documents.first(where: { $0.path == path })
            else { continue }
            waiting += Self.links(of: document).map(\.path).filter { $0.hasSuffix(".md") }
        }
        #expect(Self.documents.map(\.path).filter { !reached.contains($0) } == [])
    }

    @Test func `The entrance names every target and every package, on a page`() throws {
        let text = try SourceTree.text(Self.entrance)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 121)
        let package = try SourceTree.text("Package.swift")
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: SourceTree.root.appending(path: "Sources").path)
        let targets = package.matches(of: /[tT]arget\(\s*name: "(\w+)"/).map { String($0.1) }
            .filter(folders.contains)
        #expect(targets.count >= 18)
        #expect(targets.filter { !text.contains("`\($0)`") } == [])
        let packages = package.matches(of: /url: "[^"]*\/([^"\/]+)"/).map { String($0.1) }
        #expect(packages.count >= 8)
        #expect(packages.filter { !text.contains("**\($0)**") } == [])
    }

    @Test func `The architecture names every lock, thread and queue`() throws {
        let text = try SourceTree.text(Self.architecture)
        let declaration = /\b(let|var) \w+(: | = )Mutex\b/
        let executor = /(?:thread\.name = |DispatchQueue\(label: )"([\w. ]+)/
        var found = 0
        let sources = SourceTree.files(below: "Sources", extensions: ["swift"])
        for file in sources where !file.path.hasPrefix("Sources/pulsecast/") {
            let stem = String(file.name.prefix { $0 != "." && $0 != "+" })
            for (index, line) in file.lines.enumerated() {
                let place = "\(file.path):\(index + 1)"
                if line.contains("Mutex"), line.contains(declaration) {
                    found += 1
                    let isNamed = text.contains("`\(stem)")
                    #expect(isNamed, "\(place): a lock of \(stem)")
                }
                if line.contains("\""), let name = line.firstMatch(of: executor)?.1 {
                    found += 1
                    let isNamed = text.contains("`\(name.trimmingCharacters(in: .whitespaces))")
                    #expect(isNamed, "\(place): the executor \(name)")
                }
            }
        }
        #expect(found > 30)
    }

    private static func links(of document: SourceTree.File) -> [Link] {
        let folder = SourceTree.root.appending(path: document.path).deletingLastPathComponent()
        // A regular expression over all lines would take half a minute in debug.
        return prose(of: document).filter { $0.line.contains("](") }.flatMap { number, line in
            line.matches(of: /\]\(([^)\s#]*)(#[^)\s]*)?\)/).compactMap { match -> Link? in
                let name = String(match.1)
                guard !name.contains(":") else { return nil }
                let url = folder.appending(path: name).standardizedFileURL
                let path = name.isEmpty ? document.path : url.path
                let root = SourceTree.root.standardizedFileURL.path + "/"
                return Link(
                    place: "\(document.path):\(number)",
                    path: path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path,
                    anchor: String(match.2?.dropFirst() ?? ""))
            }
        }
    }

    /// Anchors as GitHub makes them: lower case, hyphens for spaces, no other punctuation.
    private static func anchors(of document: SourceTree.File) -> Set<String> {
        var counts: [String: Int] = [:]
        var anchors: Set<String> = []
        for (_, line) in prose(of: document) where line.hasPrefix("#") {
            guard let heading = line.firstMatch(of: /^#{1,6} (.*)$/)?.1 else { continue }
            let kept = heading.lowercased().filter {
                $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_"
            }
            let anchor = kept.replacing(" ", with: "-")
            let count = counts[anchor, default: 0]
            counts[anchor] = count + 1
            anchors.insert(count == 0 ? anchor : "\(anchor)-\(count)")
        }
        return anchors
    }

    /// Numbered lines outside of code.
    private static func prose(of document: SourceTree.File) -> [(number: Int, line: String)] {
        var isCode = false
        return document.lines.enumerated().compactMap { index, line in
            if line.hasPrefix("```") {
                isCode.toggle()
                return nil
            }
            return isCode ? nil : (index + 1, line)
        }
    }
}
