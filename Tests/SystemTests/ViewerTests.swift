import Foundation
import Testing

extension SystemTests {
    @Suite struct ViewerTests {
        private static let hasPython = ["/usr/bin", "/usr/local/bin"].contains {
            FileManager.default.isExecutableFile(atPath: $0 + "/python3")
        }

        private static let hasChromium = [
            "chromium", "chromium-browser", "google-chrome",
        ].contains { FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0) }

        /// The path where `tools/setup --for test` installs it.
        private static let axe = Program.root.appending(path: ".build-judges/axe.min.js").path

        private static let checks = [
            "first_value", "rewind", "keyboard", "overlay", "nothing", "group", "owner", "settings",
            "stale", "constant", "accessible", "long", "watch", "wake", "restart", "revoke",
            "administration", "alert", "chosen_overlay",
        ]

        @Test(
            .enabled(
                if: hasPython && hasChromium && FileManager.default.fileExists(atPath: axe),
                "python3, chromium and axe are needed, tools/setup --for test has them: skipped"))
        func `The pages do in a browser what they promise`() async throws {
            try await TemporaryFolder.with { folder in
                let script = Program.root.appending(path: "Tests/SystemTests/browser/pages")
                let look = try ChildProcess(
                    "/usr/bin/env",
                    ["python3", script.path, "--binary", Program.path, "--axe", Self.axe],
                    in: folder)
                let end = try await look.waitForEnd(withinSeconds: 900)
                let lines = look.output.split(separator: "\n")
                for name in Self.checks {
                    let said = lines.filter { $0.hasPrefix("ok \(name)") }
                    let wrong = lines.first { $0.hasPrefix("NO \(name)") } ?? "\(name) did not end"
                    #expect(said.count == 1, "\(wrong)")
                }
                #expect(end == .exited(0), "\(look.complaint)")
                print(look.output)
            }
        }
    }
}
