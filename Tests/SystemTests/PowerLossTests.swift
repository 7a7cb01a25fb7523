import Foundation
import Glibc
import Testing

extension SystemTests {
    /// Power loss on real file systems: their own shutdown drops unsynced bytes, and the daemon
    /// continues with the disk's content.
    @Suite struct PowerLossTests {
        private static let losses = Program.isLong ? 100 : 5

        @Test(arguments: LoopVolume.Kind.allCases)
        func `A machine that loses power keeps every frame that was acknowledged`(
            kind: LoopVolume.Kind
        ) async throws {
            try await TemporaryFolder.with { folder in
                try await LoopVolume.with(kind, in: folder) { volume in
                    try await losePower(of: volume, in: folder)
                }
            }
        }

        private func losePower(of volume: LoopVolume, in folder: TemporaryFolder) async throws {
            var random = Seeded(0x9055)
            let devices = try await DaemonProcess.run(in: folder) { daemon in
                let token = try await daemon.addDevice("runner")
                return LedgerDevice.Form.allCases.map {
                    LedgerDevice(token: token, form: $0, pauseMilliseconds: 5)
                }
            }
            try await volume.comeBack()
            for loss in 0..<Self.losses {
                if loss % 5 == 4 {
                    try await loseAtStart(volume, in: folder, &random)
                } else {
                    try await loseUnderLoad(volume, in: folder, devices, &random)
                }
                try await volume.comeBack()
                let verified = try await DaemonProcess.command(["log", "verify"], in: folder)
                #expect(
                    verified.end == .exited(0),
                    "loss \(loss): \(verified.output) \(verified.complaint)")
            }
            try await LedgerDevice.finish(devices, in: folder)
            for device in devices {
                let ledger = device.ledger
                #expect(ledger.welcomes > Self.losses / 3, "the losses met no load")
                try await device.expectWhole(in: folder)
                print(
                    "\(volume.kind): \(Self.losses) power losses; \(device.form):",
                    "\(ledger.welcomes) connections, \(ledger.acknowledged) acknowledged,",
                    "\(ledger.sent) sent; lost of what was acknowledged after the cut, in",
                    "\(ledger.lostAfterCut) losses")
            }
        }

        /// Loses power while both devices send; the daemon then runs for a moment without a disk.
        private func loseUnderLoad(
            _ volume: LoopVolume, in folder: TemporaryFolder, _ devices: [LedgerDevice],
            _ random: inout Seeded
        ) async throws {
            let before = Int.random(in: 0...500, using: &random)
            let after = Int.random(in: 0...100, using: &random)
            try await DaemonProcess.run(in: folder) { daemon in
                let port = try daemon.port(of: "device")
                for device in devices { device.ledger.reconnect() }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for device in devices {
                        group.addTask { try await device.run(port: port) }
                    }
                    try await Task.sleep(for: .milliseconds(before))
                    // The network fails with the power. The shutdown takes time, so the kernel may
                    // report success for a sync in progress.
                    for device in devices { device.ledger.cut() }
                    try await volume.losePower()
                    try await Task.sleep(for: .milliseconds(after))
                    daemon.process.signal(SIGKILL)
                    try await group.waitForAll()
                }
                try await daemon.process.waitForEnd()
            }
        }

        /// Loses power while the log is recovered and the listeners open.
        private func loseAtStart(
            _ volume: LoopVolume, in folder: TemporaryFolder, _ random: inout Seeded
        ) async throws {
            let process = try DaemonProcess.launch(in: folder)
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...400, using: &random)))
            try await volume.losePower()
            process.signal(SIGKILL)
            try await process.waitForEnd()
        }
    }
}
