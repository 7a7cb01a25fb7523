import Foundation
import Glibc
import Testing

extension SystemTests {
    @Suite struct RestartTests {
        private static let restarts = Program.isLong ? 30 : 3
        /// Sequence of each device's last frame, a marker.
        private static let goal: UInt32 = UInt32(restarts) * 1200 + 403

        @Test func `A restart behind open sockets refuses nobody and loses nothing`() async throws {
            try await TemporaryFolder.with { folder in
                let (devices, viewer) = try await Self.run(in: folder)
                for device in devices {
                    #expect(device.ledger.breaches == [])
                    #expect(device.ledger.acknowledged == Self.goal)
                    #expect(device.ledger.welcomes > Self.restarts, "the restarts met no load")
                    try await RecordedSession(device.session, in: folder)
                        .expectEverything(of: device)
                }
                #expect(viewer.gaps == 0)
                #expect(viewer.closeCodes == Array(repeating: 1012, count: Self.restarts))
                let expected = Array(stride(from: UInt32(3), through: Self.goal, by: 4))
                let missing = Set(expected).subtracting(viewer.markers)
                #expect(viewer.markers == expected, "missing \(missing.sorted().prefix(9))")
                let verified = try await DaemonProcess.command(["log", "verify"], in: folder)
                #expect(verified.end == .exited(0), "\(verified.output)")
            }
        }

        private static func run(
            in folder: TemporaryFolder
        ) async throws -> ([LedgerDevice], MarkerViewer) {
            try await DaemonProcess.runActivated(in: folder) { daemon in
                let devices = [
                    try await device("runner", .text, of: daemon),
                    try await device("other", .binary, of: daemon),
                ]
                let share = try await daemon.addShare(of: "runner")
                let first = try daemon.connect("http")
                #expect(try await first.upgrade("/v1/shares/\(share)/live") == 101)
                // After the snapshot, the viewer misses nothing.
                #expect(try await first.message() != nil)
                async let viewer = watch(share, from: first, of: daemon)
                let port = try daemon.port(of: "device")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for device in devices {
                        group.addTask {
                            // A refused connection throws and fails the test.
                            while device.ledger.acknowledged < goal {
                                try await device.run(port: port, until: goal)
                            }
                        }
                    }
                    for round in 1...restarts {
                        try await Task.sleep(for: .seconds(1))
                        daemon.restart()
                        while devices.contains(where: { $0.ledger.welcomes <= round }) {
                            try await Task.sleep(for: .milliseconds(20))
                        }
                    }
                    try await group.waitForAll()
                }
                return (devices, try await viewer)
            }
        }

        private static func device(
            _ name: String, _ form: LedgerDevice.Form, of daemon: DaemonProcess
        ) async throws -> LedgerDevice {
            var device = LedgerDevice(token: try await daemon.addDevice(name), form: form)
            device.framesPerSend = 8
            device.pauseMilliseconds = 20
            return device
        }

        /// Reconnects with its cursor after each disconnect.
        private static func watch(
            _ share: String, from first: PlainSocket, of daemon: DaemonProcess
        ) async throws -> MarkerViewer {
            var viewer = MarkerViewer()
            try await viewer.watch(first, until: goal)
            var longest = 0.0
            while viewer.markers.last != goal {
                let start = ContinuousClock.now
                let socket = try daemon.connect("http")
                let target = "/v1/shares/\(share)/live?after=\(viewer.cursor)"
                #expect(try await socket.upgrade(target) == 101)
                longest = max(longest, start.duration(to: .now) / .seconds(1))
                try await viewer.watch(socket, until: goal)
            }
            print("viewers were back within \(longest) s of \(restarts) restart(s)")
            return viewer
        }
    }
}
