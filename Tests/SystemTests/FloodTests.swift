import Foundation
import Testing

extension SystemTests {
    @Suite struct FloodTests {
        private static let framesPerDevice: UInt32 = 40_000

        @Test func `Devices that flood a small ring wait and lose nothing`() async throws {
            try await TemporaryFolder.with { folder in
                let devices = try await DaemonProcess.run(
                    in: folder, environment: ["PULSECAST_RING_KIBIBYTES": "64"]
                ) { daemon in
                    let devices = try await flood(daemon)
                    let full = try await daemon.metric("pulsecast_ring_full_total")
                    #expect((full ?? 0) > 0)
                    #expect(try await daemon.terminate() == .exited(0))
                    return devices
                }
                for device in devices {
                    #expect(device.ledger.acknowledged == Self.framesPerDevice)
                    let recorded = try await RecordedSession(device.session, in: folder)
                    #expect(recorded.frames.count == Int(Self.framesPerDevice))
                    recorded.expectEverything(of: device)
                }
            }
        }

        /// Sends all frames of all devices at once, as fast as the sockets accept them. The daemon
        /// is stopped now and then, so that the sockets hold more than the ring.
        private func flood(_ daemon: DaemonProcess) async throws -> [LedgerDevice] {
            let port = try daemon.port(of: "device")
            var devices: [LedgerDevice] = []
            for (number, form) in [LedgerDevice.Form.binary, .binary, .text].enumerated() {
                // What one device sends at once does not fill the ring.
                let token = try await daemon.addDevice("runner \(number)")
                var device = LedgerDevice(token: token, form: form)
                device.framesPerSend = 4000
                device.unacknowledgedMax = .max
                devices.append(device)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for device in devices {
                    group.addTask {
                        try await device.run(port: port, until: Self.framesPerDevice)
                    }
                }
                group.addTask {
                    for _ in 0..<5 {
                        try await Task.sleep(for: .milliseconds(100))
                        try await daemon.standStill(for: .milliseconds(300))
                    }
                }
                try await group.waitForAll()
            }
            return devices
        }
    }
}
