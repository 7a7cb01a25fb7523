import Foundation
import Testing

extension SystemTests {
    /// Examples in the documents run as written.
    @Suite struct ExamplesTests {
        private static let readme = "README.md"
        private static let examples = "config/examples.md"
        private static let python = Program.root.appending(path: ".build-judges/bin").path
        private static let hasAll =
            DocumentScript.hasTools
            && [python + "/python", "/usr/bin/node"].allSatisfy(
                FileManager.default.isExecutableFile(atPath:))

        /// Commands of README.md that no test runs, each with the reason; tests check only that
        /// they exist and print their usage.
        private static let notRun = [
            (command: "tools/demo", reason: "builds a release, and runs until it is stopped"),
            (command: "tools/setup", reason: "installs system packages as root, from the network"),
            (command: "tools/test", reason: "runs this test"),
            (command: "swift build", reason: "builds a release for minutes"),
            (command: "sudo install", reason: "writes into /usr/local as root"),
        ]

        private static func isRun(_ block: DocumentBlock) -> Bool {
            block.language == "sh"
                && !block.lines.contains { line in
                    notRun.contains { line.hasPrefix($0.command + " ") || line == $0.command }
                }
        }

        private static func commands(_ block: DocumentBlock) -> [String] {
            block.lines.filter { !$0.hasPrefix(" ") }
        }

        @Test(
            .enabled(
                if: DocumentScript.hasTools,
                "curl, python3 and bash are needed (tools/setup --for test): skipped"))
        func `Every command of README runs as it stands, in order`() async throws {
            let blocks = try DocumentBlock.blocks(of: Self.readme).filter(Self.isRun)
            #expect(blocks.flatMap(Self.commands).count >= 20)
            try await TemporaryFolder.with { folder in
                try await DocumentScript(blocks: blocks).run(in: folder)
            }
        }

        @Test(arguments: notRun)
        func `A command that no test runs is there and says how it is used`(
            command: String, reason: String
        ) async throws {
            let blocks = try DocumentBlock.blocks(of: Self.readme)
                .filter { $0.language == "sh" && !Self.isRun($0) }
            // A block is run completely or not at all, or a command could be skipped unnoticed.
            let left = blocks.flatMap(Self.commands)
            #expect(left.contains { $0.hasPrefix(command) }, "\(command) is not in README.md")
            for line in left {
                #expect(Self.notRun.contains { line.hasPrefix($0.command) }, "\(line) is not run")
            }
            if command.hasPrefix("tools/") {
                let tool = Program.root.appending(path: command)
                #expect(FileManager.default.isExecutableFile(atPath: tool.path))
                let text = try String(contentsOf: tool, encoding: .utf8)
                #expect(text.contains("usage: \(command)"))
            } else {
                let program = command.split(separator: " ").filter { $0 != "sudo" }
                try await TemporaryFolder.with { folder in
                    let help = try ChildProcess(
                        "/usr/bin/env", program.map(String.init) + ["--help"], in: folder)
                    #expect(try await help.waitForEnd() == .exited(0), "\(command)")
                }
            }
        }

        @Test(
            .enabled(
                if: hasAll,
                "curl, node and .build-judges are needed (tools/setup --for test): skipped"))
        func `Every example runs word by word and prints what it says`() async throws {
            let examples = try DocumentBlock.blocks(of: Self.examples)
            #expect(examples.count >= 9)
            for example in examples.dropFirst() {
                #expect(!example.words.isEmpty, "\(example.place) does not say what it prints")
            }
            // These examples need README.md's daemon and watch.
            let before = try DocumentBlock.blocks(of: Self.readme)
                .filter { Self.isRun($0) && ["Run it", "Send to it"].contains($0.section) }
            try await TemporaryFolder.with { folder in
                try await DocumentScript(blocks: before + examples)
                    .run(in: folder, python: Self.python)
            }
        }

        private static let documents: [String] = {
            let folder = "Sources/Documentation"
            let names = try? FileManager.default.contentsOfDirectory(
                atPath: Program.root.appending(path: folder).path)
            return [readme, "Sources/README.md"]
                + (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
        }()

        @Test(arguments: documents)
        func `A command in a sentence is there, with its options`(path: String) async throws {
            try await TemporaryFolder.with { folder in
                for command in Set(try DocumentBlock.commandsInProse(of: path)).sorted() {
                    let words = command.split(separator: " ").map(String.init).dropFirst()
                    let names = words.prefix { word in
                        !word.hasPrefix("-") && word.allSatisfy { $0.isLowercase || $0 == "-" }
                    }
                    let help = try await Program.run(names + ["--help"], in: folder)
                    let usage = "USAGE: pulsecast \(names.joined(separator: " "))"
                    #expect(help.end == .exited(0), "\(command): \(help.complaint)")
                    #expect(help.output.contains(usage), "\(path): \(command)")
                    for option in words where option.hasPrefix("--") {
                        let name = option.prefix { $0.isLetter || $0 == "-" }
                        #expect(help.output.contains(name), "\(path): \(command) has no \(name)")
                    }
                }
            }
        }
    }
}
