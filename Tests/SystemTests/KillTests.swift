import Foundation
import Glibc
import Testing

extension SystemTests {
    @Suite struct KillTests {
        private static let cycles = Program.isLong ? 300 : 20

        @Test func `A daemon killed at any moment keeps every frame it acknowledged`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                var random = Seeded(0x4B11)
                let devices = try await DaemonProcess.run(in: folder) { daemon in
                    let token = try await daemon.addDevice("runner")
                    return LedgerDevice.Form.allCases.map { LedgerDevice(token: token, form: $0) }
                }
                var killedAtStart = 0
                for cycle in 0..<Self.cycles {
                    if cycle % 5 == 4 {
                        killedAtStart += 1
                        try await killAtStart(in: folder, &random)
                    } else {
                        try await killUnderLoad(in: folder, devices, &random)
                    }
                    let verified = try await DaemonProcess.command(["log", "verify"], in: folder)
                    #expect(
                        verified.end == .exited(0),
                        "kill \(cycle): \(verified.output) \(verified.complaint)")
                }
                try await LedgerDevice.finish(devices, in: folder)
                for device in devices {
                    let welcomes = device.ledger.welcomes
                    #expect(welcomes > Self.cycles / 3, "the kills met no load")
                    try await device.expectWhole(in: folder)
                    print(
                        "\(Self.cycles) kills, \(killedAtStart) at start; \(device.form):",
                        "\(welcomes) connections, \(device.ledger.acknowledged) acknowledged,",
                        "\(device.ledger.sent) sent")
                }
            }
        }

        /// Kills while both devices send.
        private func killUnderLoad(
            in folder: TemporaryFolder, _ devices: [LedgerDevice], _ random: inout Seeded
        ) async throws {
            let milliseconds = Int.random(in: 0...500, using: &random)
            try await DaemonProcess.run(in: folder) { daemon in
                let port = try daemon.port(of: "device")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for device in devices {
                        group.addTask { try await device.run(port: port) }
                    }
                    try await Task.sleep(for: .milliseconds(milliseconds))
                    daemon.process.signal(SIGKILL)
                    try await group.waitForAll()
                }
                let end = try await daemon.process.waitForEnd()
                #expect(end == .killed(signal: SIGKILL), "\(daemon.process.complaint)")
            }
        }

        /// Kills while the log is recovered and the listeners open.
        private func killAtStart(
            in folder: TemporaryFolder, _ random: inout Seeded
        ) async throws {
            let process = try DaemonProcess.launch(in: folder)
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...400, using: &random)))
            process.signal(SIGKILL)
            try await process.waitForEnd()
        }
    }
}
