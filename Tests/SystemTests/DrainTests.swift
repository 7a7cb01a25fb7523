import Foundation
import Glibc
import Testing

extension SystemTests {
    @Suite struct DrainTests {
        private static let secondsMax = 10.0

        @Test func `A stopped daemon drains, and a restart goes on with nothing missing`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                var run = try await Self.runAndStop(in: folder)
                for device in run.devices {
                    let goodbyes = device.ledger.notes.filter { $0.contains("1012") }
                    #expect(goodbyes.count == 1, "\(device.form): \(device.ledger.notes)")
                    #expect(device.ledger.acknowledged > 100)
                    try await RecordedSession(device.session, in: folder)
                        .expectEverything(of: device)
                }
                #expect(run.viewer.closeCodes == [1001])
                #expect(run.viewer.markers.count > 10)
                let verified = try await DaemonProcess.command(
                    ["log", "verify", "--json"], in: folder)
                #expect(verified.end == .exited(0))
                #expect(verified.output.contains(#""tornTail":null"#), "\(verified.output)")
                try await Self.resume(&run, in: folder)
            }
        }

        private struct Run {
            let share: String
            let devices: [LedgerDevice]
            var viewer: MarkerViewer
        }

        /// Runs two devices over TCP, one over a WebSocket, two viewers of the first; then SIGTERM.
        private static func runAndStop(in folder: TemporaryFolder) async throws -> Run {
            try await DaemonProcess.run(in: folder) { daemon in
                let devices = try await [
                    device("runner", .text, of: daemon), device("other", .binary, of: daemon),
                ]
                let share = try await daemon.addShare(of: "runner")
                let socket = try daemon.connect("http")
                #expect(try await socket.upgrade("/v1/shares/\(share)/live") == 101)
                let events = try daemon.connect("http")
                await events.send(
                    Array("GET /v1/shares/\(share)/events HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
                let third = LedgerDevice(
                    token: try await daemon.addDevice("third"), form: .text)
                let swimmer = try await webSocket(third, daemon)
                let port = try daemon.port(of: "device")
                async let watched = watch(socket)
                async let streamed = events.rest()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for device in devices {
                        group.addTask { try await device.run(port: port) }
                    }
                    try await Task.sleep(for: .seconds(3))
                    let start = ContinuousClock.now
                    #expect(try await daemon.terminate() == .exited(0))
                    let seconds = start.duration(to: .now) / .seconds(1)
                    print("drained in \(seconds) s")
                    #expect(seconds < secondsMax)
                    try await group.waitForAll()
                }
                #expect(try await streamed.contains(#""type":"snapshot""#))
                var last: PlainSocket.WebSocketMessage?
                while let message = try await swimmer.message() { last = message }
                #expect(last == .close(code: 1012))
                return Run(share: share, devices: devices, viewer: try await watched)
            }
        }

        private static func watch(_ socket: PlainSocket) async throws -> MarkerViewer {
            var viewer = MarkerViewer()
            try await viewer.watch(socket)
            return viewer
        }

        /// The rate is low enough for a viewer to see everything and high enough to be a load.
        private static func device(
            _ name: String, _ form: LedgerDevice.Form, of daemon: DaemonProcess
        ) async throws -> LedgerDevice {
            var device = LedgerDevice(token: try await daemon.addDevice(name), form: form)
            device.framesPerSend = 8
            device.pauseMilliseconds = 20
            return device
        }

        private static func webSocket(
            _ device: LedgerDevice, _ daemon: DaemonProcess
        ) async throws -> PlainSocket {
            let socket = try daemon.connect("http")
            #expect(try await socket.upgrade("/v1/device") == 101)
            await socket.send(
                WebSocketFrame.text(
                    #"{"type":"hello","token":"\#(device.token)","session":"\#(device.session)"}"#))
            await socket.send(WebSocketFrame.text(NumberedFrame(number: 1).line))
            return socket
        }

        /// Restarts the daemon; the device resumes by sequence, the viewer by cursor.
        private static func resume(_ run: inout Run, in folder: TemporaryFolder) async throws {
            let runner = run.devices[0]
            let kept = runner.ledger.acknowledged
            // The last one is a marker.
            let goal = (runner.ledger.sent + 200) / 4 * 4 + 3
            try await DaemonProcess.run(in: folder) { daemon in
                let socket = try daemon.connect("http")
                let target = "/v1/shares/\(run.share)/live?after=\(run.viewer.cursor)"
                #expect(try await socket.upgrade(target) == 101)
                async let sent: Void = runner.run(port: daemon.port(of: "device"), until: goal)
                try await run.viewer.watch(socket, until: goal)
                try await sent
                #expect(runner.ledger.breaches == [])
                #expect(runner.ledger.acknowledged == goal)
                #expect(try await daemon.terminate() == .exited(0))
            }
            #expect(run.viewer.gaps == 0)
            let expected = Array(stride(from: UInt32(3), through: goal, by: 4))
            let isWhole = run.viewer.markers == expected
            let missing = Set(expected).subtracting(run.viewer.markers).sorted()
            #expect(
                isWhole,
                "\(run.viewer.markers.count) of \(expected.count); missing \(missing.prefix(9))")
            print("viewer: \(expected.count) markers over a restart at frame \(kept)")
            try await RecordedSession(runner.session, in: folder).expectEverything(of: runner)
        }
    }
}
