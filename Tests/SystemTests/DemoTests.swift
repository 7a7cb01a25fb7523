import Foundation
import Glibc
import Testing

extension SystemTests {
    @Suite struct DemoTests {
        private static let hasPython = ["/usr/bin", "/usr/local/bin"].contains {
            FileManager.default.isExecutableFile(atPath: $0 + "/python3")
        }

        private static let hasChromium = [
            "chromium", "chromium-browser", "google-chrome",
        ].contains { FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0) }

        @Test func `The demo prints an address, serves it, and ends by itself`() async throws {
            try await Self.withDemo(seconds: 3) { _, demo in
                let end = try await demo.waitForEnd(withinSeconds: 60)
                #expect(end == .exited(0), "\(demo.complaint)")
            }
        }

        @Test(
            .enabled(
                if: hasPython && hasChromium,
                "python3 and chromium are needed to look at the page: skipped"))
        func `The demo's page shows a heart rate that changes`() async throws {
            try await Self.withDemo(seconds: 300) { url, demo in
                try await TemporaryFolder.with { folder in
                    let picture = folder.file("demo.png")
                    let script = Program.root.appending(
                        path: "Tests/SystemTests/browser/heart-rate")
                    let look = try ChildProcess(
                        "/usr/bin/env", ["python3", script.path, url, picture], in: folder)
                    let end = try await look.waitForEnd(withinSeconds: 240)
                    #expect(end == .exited(0), "\(look.output) \(look.complaint)")
                    let rates = look.output.split(separator: " ").compactMap {
                        Int($0.filter(\.isNumber))
                    }
                    #expect(rates.count == 3 && rates.allSatisfy((40...220).contains))
                    let bytes = try Data(contentsOf: URL(filePath: picture))
                    #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
                    #expect(bytes.count > 10_000)
                    print("the page showed \(rates), the picture has \(bytes.count) bytes")
                    demo.signal(SIGTERM)
                    try await demo.waitForEnd(withinSeconds: 60)
                }
            }
        }

        /// Runs `body` with the address that the demo printed.
        private static func withDemo(
            seconds: Int, _ body: (String, ChildProcess) async throws -> Void
        ) async throws {
            try await TemporaryFolder.with { folder in
                let demo = try ChildProcess(
                    Program.path, ["demo", "--seconds", "\(seconds)", "--http-port", "0"],
                    environment: ["TMPDIR": folder.path], in: folder)
                defer { demo.signal(SIGKILL) }
                var url: String?
                for _ in 0..<3000 where url == nil && demo.isRunning {
                    try await Task.sleep(for: .milliseconds(20))
                    url = demo.output.firstMatch(of: /http:\S+/).map { String($0.0) }
                }
                let address = try #require(url, "\(demo.output) \(demo.complaint)")
                try await body(address, demo)
            }
        }
    }
}
