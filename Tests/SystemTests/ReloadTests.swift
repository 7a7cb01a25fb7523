import Foundation
import Glibc
import Testing

extension SystemTests {
    @Suite struct ReloadTests {
        private static let ports =
            "device: {port: 0}\nhttp: {port: 0}\noperations: {port: 0}\n"

        @Test func `SIGHUP applies what can be applied, keeps streams, and tells systemd`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                let inbox = try await NotifyInbox(in: folder)
                let file = try folder.write(Self.ports, to: "pulsecast.yaml")
                let process = try ChildProcess(
                    Program.path,
                    [
                        "serve", "--config", file, "--print-addresses", "--state",
                        DaemonProcess.state(in: folder),
                    ], environment: ["NOTIFY_SOCKET": inbox.path], in: folder)
                let daemon = DaemonProcess(
                    process: process, folder: folder,
                    addresses: try await DaemonProcess.addresses(of: process))
                try await inbox.wait(for: "READY=1")
                let share = try await Self.addShare(at: daemon)
                let viewer = try daemon.connect("http")
                #expect(try await viewer.upgrade("/v1/shares/\(share)/live") == 101)

                _ = try folder.write(
                    Self.ports + "logging: {level: debug}\nlimits: {connections: 500}\n",
                    to: "pulsecast.yaml")
                process.signal(SIGHUP)
                try await inbox.wait(for: "READY=1", count: 2)
                let said = try await process.complaint(with: "applied=logging.level")
                #expect(said.contains("a restart is needed for limits.connections"), "\(said)")
                #expect(said.contains("applied=logging.level"), "\(said)")

                _ = try folder.write("limits: {conections: 5}\n", to: "pulsecast.yaml")
                process.signal(SIGHUP)
                try await inbox.wait(for: "READY=1", count: 3)
                let meant = "did you mean limits.connections?"
                #expect(try await process.complaint(with: meant).contains(meant))

                let live = try await daemon.metric("pulsecast_viewers_connected")
                #expect(live == 1, "the viewer was sent away")
                #expect(try await daemon.terminate() == .exited(0))
                try await inbox.wait(for: "STOPPING=1")
                let states = inbox.received.filter { !$0.hasPrefix("STATUS=") }
                let reload = ["RELOADING=1", "MONOTONIC_USEC", "READY=1"]
                #expect(states == ["READY=1"] + reload + reload + ["STOPPING=1"])
            }
        }

        @Test(arguments: [SIGTERM, SIGHUP])
        func `A signal in the moment of being ready is answered`(signal: Int32) async throws {
            try await TemporaryFolder.with { folder in
                for _ in 0..<3 {
                    let inbox = try await NotifyInbox(in: folder, answering: signal)
                    let daemon = try DaemonProcess.launch(
                        in: folder, environment: ["NOTIFY_SOCKET": inbox.path])
                    let expected = signal == SIGTERM ? "STOPPING=1" : "RELOADING=1"
                    while daemon.isRunning, !inbox.received.contains(expected) {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    daemon.signal(signal == SIGTERM ? 0 : SIGKILL)
                    let end = try await daemon.waitForEnd()
                    #expect(end == (signal == SIGTERM ? .exited(0) : .killed(signal: SIGKILL)))
                    #expect(inbox.received.contains(expected))
                    try FileManager.default.removeItem(atPath: inbox.path)
                }
            }
        }

        private static func addShare(at daemon: DaemonProcess) async throws -> String {
            _ = try await daemon.addDevice("runner")
            return try await daemon.addShare(of: "runner")
        }
    }
}
