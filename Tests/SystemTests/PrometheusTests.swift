import Foundation
import Testing

extension SystemTests {
    /// Prometheus' own verdict on the metrics, where it is installed.
    @Suite struct PrometheusTests {
        private static let program =
            [Program.root.appending(path: ".build-judges/bin/promtool").path, "/usr/bin/promtool"]
            .first(where: FileManager.default.isExecutableFile) ?? ""
        private static let skipped: Comment =
            "skipped: promtool is missing, which `tools/setup --for test` installs"

        @Test(.enabled(if: program != "", skipped))
        func `The alert rules are without fault`() async throws {
            try await TemporaryFolder.with { folder in
                let rules = Program.root.appending(path: "config/prometheus-alerts.yaml").path
                let said = try ChildProcess(
                    Self.program, ["check", "rules", "--lint-fatal", rules], in: folder)
                #expect(try await said.waitForEnd() == .exited(0), "\(said.complaint)")
                #expect(said.output.contains("rules found"))
            }
        }

        @Test(.enabled(if: program != "", skipped))
        func `The metrics are named and described by its rules`() async throws {
            try await TemporaryFolder.with { folder in
                let page = try await DaemonProcess.run(in: folder) { daemon in
                    let page = try await daemon.metricsPage()
                    #expect(try await daemon.terminate() == .exited(0))
                    return page
                }
                #expect(page.contains("# TYPE pulsecast_frames_total counter"))
                let file = try folder.write(page, to: "metrics")
                let said = try ChildProcess(
                    "/bin/sh", ["-c", "exec \(Self.program) check metrics <\(file)"], in: folder)
                #expect(try await said.waitForEnd() == .exited(0), "\(said.complaint)")
                #expect(said.output + said.complaint == "")
            }
        }
    }
}
