import Foundation
import Testing

extension SystemTests {
    @Suite struct FloodTests {
        private static let framesPerRound: UInt32 = 20_000

        @Test func `Devices that flood a small ring wait and lose nothing`() async throws {
            try await TemporaryFolder.with { folder in
                var goal: UInt32 = 0
                let devices = try await DaemonProcess.run(
                    in: folder, environment: ["PULSECAST_RING_KIBIBYTES": "64"]
                ) { daemon in
                    let devices = try await addDevices(to: daemon)
                    var full = 0.0
                    // A machine whose pipeline is as fast as its loops may fill no ring in a round.
                    while full == 0, goal < 20 * Self.framesPerRound {
                        goal += Self.framesPerRound
                        try await flood(daemon, with: devices, until: goal)
                        full = try await daemon.metric("pulsecast_ring_full_total") ?? 0
                    }
                    #expect(full > 0)
                    #expect(try await daemon.terminate() == .exited(0))
                    return devices
                }
                for device in devices {
                    #expect(device.ledger.acknowledged == goal)
                    let recorded = try await RecordedSession(device.session, in: folder)
                    #expect(recorded.frames.count == Int(goal))
                    recorded.expectEverything(of: device)
                }
            }
        }

        private func addDevices(to daemon: DaemonProcess) async throws -> [LedgerDevice] {
            var devices: [LedgerDevice] = []
            for (number, form) in [LedgerDevice.Form.binary, .binary, .text].enumerated() {
                // What one device sends at once does not fill the ring.
                let token = try await daemon.addDevice("runner \(number)")
                var device = LedgerDevice(token: token, form: form)
                device.framesPerSend = 4000
                device.unacknowledgedMax = .max
                devices.append(device)
            }
            return devices
        }

        /// Sends all frames of all devices at once, as fast as the sockets accept them. The daemon
        /// is stopped now and then, so that the sockets hold more than the ring.
        private func flood(
            _ daemon: DaemonProcess, with devices: [LedgerDevice], until goal: UInt32
        ) async throws {
            let port = try daemon.port(of: "device")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device in devices {
                    group.addTask { try await device.run(port: port, until: goal) }
                }
                group.addTask {
                    for _ in 0..<5 {
                        try await Task.sleep(for: .milliseconds(100))
                        try await daemon.standStill(for: .milliseconds(300))
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
