import Foundation
import Testing

extension SystemTests {
    /// The record page in headless Chromium against a real daemon. Its modules have tests of their
    /// own in `Tests/ViewerPagesTests/js`.
    @Suite struct RecordPageTests {
        private static let hasTools =
            ["/usr/bin", "/usr/local/bin"].contains {
                FileManager.default.isExecutableFile(atPath: $0 + "/python3")
            }
            && ["chromium", "chromium-browser", "google-chrome"].contains {
                FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
            }

        /// The path where `tools/setup --for test` installs it.
        private static let axe = Program.root.appending(path: ".build-judges/axe.min.js").path

        private static let checks = [
            "link", "strangers", "sensors", "whole", "tabs", "afar", "full", "interrupted",
            "frugal", "accessible",
        ]

        @Test(
            .enabled(
                if: hasTools && FileManager.default.fileExists(atPath: axe),
                "python3, chromium and axe are needed, tools/setup --for test has them: skipped"))
        func `From an installed program to a friend's first heart rate are six steps`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                let script = Program.root.appending(path: "Tests/SystemTests/browser/first-steps")
                let look = try ChildProcess(
                    "/usr/bin/env", ["python3", script.path, "--binary", Program.path], in: folder)
                let end = try await look.waitForEnd(withinSeconds: 300)
                #expect(look.output.contains("ok first-steps"), "\(look.output)")
                #expect(end == .exited(0), "\(look.complaint)")
                print(look.output)
            }
        }

        /// Seconds of measuring in `whole`, which run at twenty times normal speed.
        private static var seconds: Int {
            ProcessInfo.processInfo.environment["PULSECAST_LONG"] == "1" ? 1200 : 240
        }

        @Test(
            .enabled(
                if: hasTools && FileManager.default.fileExists(atPath: axe),
                "python3, chromium and axe are needed, tools/setup --for test has them: skipped"))
        func `A browser that records loses, doubles and alters no value`() async throws {
            try await TemporaryFolder.with { folder in
                let script = Program.root.appending(path: "Tests/SystemTests/browser/record")
                let look = try ChildProcess(
                    "/usr/bin/env",
                    [
                        "python3", script.path, "--binary", Program.path, "--axe", Self.axe,
                        "--seconds", "\(Self.seconds)",
                    ], in: folder)
                let end = try await look.waitForEnd(withinSeconds: 1800)
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
