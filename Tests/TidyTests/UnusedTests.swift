import Testing

/// Code that nothing uses, or only tests use, is deleted: the search is for names that occur in the
/// sources only where they are declared.
@Suite struct UnusedTests {
    /// Called by a library through a protocol.
    private static let calledFromOutside: Set<String> = [
        "InboundIn", "InboundOut", "OutboundOut", "channelInactive", "channelRead",
        "channelWritabilityChanged", "enqueue", "errorCaught", "handlerAdded", "handlerRemoved",
        "userInboundEventTriggered",
    ]
    /// Counts of held objects, for tests.
    private static let probes: Set<String> = ["originCount", "sessionCount", "waitingCount"]
    /// The threads' work in place, for the simulation.
    private static let withoutThreads: Set<String> = ["syncAppended"]
    private static let keywords = [
        "func ", "var ", "let ", "struct ", "enum ", "class ", "actor ", "typealias ",
    ]
    /// Code for tests and tools as well as for the program.
    private static let sharedFolder = "Sources/Simulator/"

    @Test func `Every declaration is used by the program itself`() {
        var uses: [Substring: Int] = [:]
        var declarations: [Substring: (count: Int, path: String)] = [:]
        let declaration = /\b(?:func|var|let|struct|enum|class|actor|typealias)\s+(\w+)/
        let files = SourceTree.files(below: "Sources", extensions: ["swift"])
        for file in files {
            for line in file.lines {
                let code = line.split(
                    separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
                for word in code.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }
                ) {
                    uses[word, default: 0] += 1
                }
                // A regular expression over all lines would take a minute in debug.
                guard Self.keywords.contains(where: code.contains) else { continue }
                for match in code.matches(of: declaration) {
                    let before = declarations[match.1]?.count ?? 0
                    declarations[match.1] = (before + 1, file.path)
                }
            }
        }
        let unused = declarations.filter { name, declared in
            uses[name] == declared.count && !declared.path.hasPrefix(Self.sharedFolder)
                && !Self.calledFromOutside.contains(String(name))
                && !Self.probes.contains(String(name))
                && !Self.withoutThreads.contains(String(name))
        }
        #expect(declarations.count > 5000)
        #expect(unused.map { "\($0.value.path): \($0.key)" }.sorted() == [])
    }

    @Test func `Every configuration key reaches what it configures`() throws {
        let schema = try [
            "ConfigurationSchema", "ConfigurationSchema+MQTT", "ConfigurationSchema+Cluster",
        ].map {
            try SourceTree.text("Sources/Runtime/Configuration/\($0).swift")
        }.joined()
        let names = Set(
            schema.matches(of: /"[a-z_.]+",\s+\\\.(?:\w+\.)*(\w+)[,\n]/).map { String($0.1) })
        #expect(names.count > 40)
        let readers = SourceTree.files(below: "Sources", extensions: ["swift"]).filter {
            !$0.path.hasPrefix("Sources/Runtime/Configuration/")
        }
        let lines = readers.flatMap(\.lines)
        let unread = names.filter { name in
            // A default of the same name does not read the owner's value.
            !lines.contains { line in
                line.contains(".\(name)")
                    && line.replacing("Limits.\(name)", with: "")
                        .contains(".\(name)")
            }
        }
        #expect(unread.sorted() == [])
    }
}
