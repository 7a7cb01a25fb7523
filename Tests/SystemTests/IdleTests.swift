import Client
import Foundation
import Testing

extension SystemTests {
    @Suite struct IdleTests {
        @Test func `An idle daemon with a viewer and a silent device uses no processor time`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try await daemon.addDevice("runner")
                    let share = try await daemon.addShare(of: "runner")
                    let device = LedgerDevice(token: token, form: .text)
                    let socket = try daemon.connect()
                    _ = try await device.greet(socket)
                    let viewer = try await ViewerClient.connect(
                        to: try daemon.address("http", .ws, "/v1/shares/\(share)/live"))
                    // Work after the start and the handshakes is over by then.
                    try await Task.sleep(for: .seconds(3))
                    let before = try Self.ticks(of: daemon.process.id)
                    try await Task.sleep(for: .seconds(10))
                    let used = try Self.ticks(of: daemon.process.id) - before
                    print("idle: \(used) ticks of 10 ms in 10 s")
                    // 0.5 %; waking at 1 kHz would be ten times that.
                    #expect(used <= 5, "\(used) ticks of 10 ms in 10 s")
                    await viewer.close()
                    #expect(try await daemon.terminate() == .exited(0))
                }
            }
        }

        /// Processor time in ticks of 10 ms, in user and kernel mode.
        private static func ticks(of process: pid_t) throws -> Int {
            let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            // The process name, in parentheses, may contain spaces.
            let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
            try #require(fields.count > 13)
            return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
        }
    }
}
