import Foundation
import Testing

extension SystemTests {
    /// A delayed share, and a viewer that reconnects several times.
    @Suite struct DelayedShareTests {
        private static let delaySeconds = 2.0
        private static let last: UInt32 = 40
        /// Markers after which the viewer disconnects, to resume with its cursor.
        private static let departures: [UInt32] = [5, 6, 18, 30]

        @Test func `Who comes back to a delayed share gets each event once, and none early`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try await daemon.addDevice("runner")
                    let made = try await daemon.command([
                        "share", "create", "--device", "runner", "--json", "--delay",
                        "\(Int(Self.delaySeconds))s",
                    ])
                    let share = try #require(made.object["id"] as? String, "\(made.complaint)")
                    var viewer = MarkerViewer()
                    var socket = try await enter(share, of: daemon, with: viewer)
                    let device = try daemon.connect()
                    async let sent = send(as: token, over: device)
                    for departure in Self.departures {
                        try await viewer.watch(socket, until: departure)
                        socket.close()
                        // Events released now arrive as history; those still held back do not.
                        try await Task.sleep(for: .milliseconds(700))
                        socket = try await enter(share, of: daemon, with: viewer)
                    }
                    try await viewer.watch(socket, until: Self.last)
                    socket.close()
                    #expect(viewer.markers == Array(1...Self.last))
                    #expect(viewer.gaps == 0)
                    for (number, time) in try await sent {
                        let shown = try #require(viewer.shownAt[number])
                        #expect(shown - time >= Self.delaySeconds, "marker \(number)")
                    }
                    device.close()
                }
            }
        }

        private func enter(
            _ share: String, of daemon: DaemonProcess, with viewer: MarkerViewer
        ) async throws -> PlainSocket {
            let socket = try daemon.connect("http")
            let resume = viewer.cursor.isEmpty ? "" : "?after=" + viewer.cursor
            #expect(try await socket.upgrade("/v1/shares/\(share)/live" + resume) == 101)
            return socket
        }

        /// - Returns: The time at which each marker was sent, seconds since 1970.
        private func send(
            as token: String, over socket: PlainSocket
        ) async throws -> [UInt32: Double] {
            let session = UUID().uuidString.lowercased()
            await socket.send(
                line: #"{"type":"hello","token":"\#(token)","session":"\#(session)"}"#)
            _ = try await socket.line()
            var sent: [UInt32: Double] = [:]
            for number in 1...Self.last {
                let now = Date().timeIntervalSince1970
                sent[number] = now
                await socket.send(
                    line: #"{"type":"marker","text":"note \#(number)","timestamp":\#(now),"#
                        + #""seq":\#(number)}"#)
                try await Task.sleep(for: .milliseconds(100))
            }
            return sent
        }
    }
}
