import Foundation
import Testing

extension SystemTests {
    /// Wrong input at every listener, beside a device that must not be affected.
    @Suite struct WrongInputTests {
        @Test func `Wrong input is answered with code and reason, and disturbs nobody`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                let steady = try await DaemonProcess.run(in: folder) { daemon in
                    let token = try await daemon.addDevice("steady")
                    var steady = LedgerDevice(token: token, form: .binary)
                    steady.framesPerSend = 10
                    steady.pauseMilliseconds = 20
                    let mischief = WrongInput(
                        daemon: daemon, token: try await daemon.addDevice("mischief"))
                    let port = try daemon.port(of: "device")
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { [steady] in try await steady.run(port: port) }
                        try await mischief.tryLines()
                        try await mischief.tryFrames()
                        try await mischief.tryMessages()
                        try await mischief.tryRequests()
                        #expect(daemon.process.isRunning, "\(daemon.process.complaint)")
                        #expect(try await daemon.terminate() == .exited(0))
                        try await group.waitForAll()
                    }
                    return steady
                }
                #expect(steady.ledger.welcomes == 1)
                #expect(steady.ledger.acknowledged > 100)
                let recorded = try await RecordedSession(steady.session, in: folder)
                recorded.expectEverything(of: steady)
            }
        }

        @Test func `A device that leaves while a hole holds its frame back loses nothing`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let device = LedgerDevice(
                        token: try await daemon.addDevice("runner"), form: .text)
                    let socket = try daemon.connect()
                    _ = try await device.greet(socket)
                    await socket.send(device.bytes(2...2))
                    socket.close()
                    // The hole becomes a gap after 2 s.
                    var frames = 0
                    for _ in 0..<300 where frames == 0 {
                        try await Task.sleep(for: .milliseconds(100))
                        let shown = try await daemon.command(["session", "show", device.session])
                        frames = shown.object["frames"] as? Int ?? 0
                        guard daemon.process.isRunning else { break }
                    }
                    #expect(frames == 1, "\(daemon.process.complaint.prefix(2000))")
                    #expect(try await daemon.terminate() == .exited(0))
                }
                let verified = try await DaemonProcess.command(["log", "verify"], in: folder)
                #expect(verified.end == .exited(0), "\(verified.output)")
            }
        }

        @Test func `A device that ends its side is acknowledged all it sent, and then closed`()
            async throws
        {
            try await TemporaryFolder.with { folder in
                try await DaemonProcess.run(in: folder) { daemon in
                    let token = try await daemon.addDevice("runner")
                    // The second has a hole, which becomes a gap after 2 s.
                    let wholeAndHoled: [[ClosedRange<UInt32>]] = [[1...400], [1...200, 202...400]]
                    for numbers in wholeAndHoled {
                        let device = LedgerDevice(token: token, form: .text)
                        let socket = try daemon.connect()
                        _ = try await device.greet(socket)
                        for range in numbers { await socket.send(device.bytes(range)) }
                        socket.endSending()
                        let lines = try await socket.rest().split(separator: "\n")
                        #expect(lines.last == #"{"type":"ack","seq":400}"#)
                    }
                }
            }
        }
    }
}
