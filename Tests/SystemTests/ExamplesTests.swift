import Foundation
import Testing

extension SystemTests {
    /// What people copy from `config/examples.md` runs as it stands there.
    @Suite struct ExamplesTests {
        private struct Example {
            let language: String
            let code: String
            /// What it must print.
            let words: [String]
        }

        private static let python = Program.root.appending(path: ".build-judges/bin/python").path
        private static let hasAll =
            FileManager.default.isExecutableFile(atPath: python)
            && ["/usr/bin/curl", "/usr/bin/node"].allSatisfy(
                FileManager.default.isExecutableFile(atPath:))

        @Test(
            .enabled(
                if: hasAll,
                "curl, node and .build-judges are needed (tools/setup --for test): skipped"))
        func `Every example runs word by word and prints what it says`() async throws {
            let examples = try Self.examples()
            #expect(examples.count >= 8)
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try await daemon.addDevice("watch")
                    let environment = [
                        "PULSECAST": "http://127.0.0.1:\(try daemon.port(of: "http"))",
                        "PULSECAST_DEVICE": "\(try daemon.port(of: "device"))",
                        "TOKEN": token, "SHARE": try await daemon.addShare(of: "watch"),
                    ]
                    for (number, example) in examples.enumerated() {
                        try await Self.run(example, number, environment, in: folder)
                    }
                    #expect(try await daemon.terminate() == .exited(0))
                }
            }
        }

        private static func run(
            _ example: Example, _ number: Int, _ environment: [String: String],
            in folder: TemporaryFolder
        ) async throws {
            let (program, suffix) =
                switch example.language {
                case "python": (python, "py")
                case "js": ("/usr/bin/node", "mjs")
                default: ("/bin/bash", "sh")
                }
            let file = try folder.write(example.code, to: "example-\(number).\(suffix)")
            let process = try ChildProcess(
                program, [file], environment: environment, in: folder)
            let end = try await process.waitForEnd(withinSeconds: 60)
            #expect(end == .exited(0), "\(example.code)\n\(process.complaint)")
            #expect(!example.words.isEmpty, "\(example.code) does not say what it prints")
            for word in example.words {
                #expect(process.output.contains(word), "\(word) is not in \(process.output)")
            }
        }

        private static func examples() throws -> [Example] {
            let url = Program.root.appending(path: "config/examples.md")
            let text = try String(contentsOf: url, encoding: .utf8)
            let blocks = text.split(separator: "\n```")
            // Prose and code take turns.
            return stride(from: 1, to: blocks.count, by: 2).compactMap { place in
                let code = blocks[place].split(separator: "\n", maxSplits: 1)
                guard code.count == 2, let language = code.first, !language.contains("setup") else {
                    return nil
                }
                let after = place + 1 < blocks.count ? blocks[place + 1] : ""
                let words = after.firstMatch(of: /<!-- prints: (.*) -->/)?.1 ?? ""
                return Example(
                    language: String(language), code: String(code[1]) + "\n",
                    words: words.split(separator: ", ").map(String.init))
            }
        }
    }
}
