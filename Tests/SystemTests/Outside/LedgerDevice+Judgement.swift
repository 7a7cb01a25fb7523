import Testing

/// What must hold of devices when everything that could happen to their daemon has happened.
extension LedgerDevice {
    /// A last start: everything that was sent, and some more, is acknowledged.
    static func finish(_ devices: [LedgerDevice], in folder: TemporaryFolder) async throws {
        try await DaemonProcess.run(in: folder) { daemon in
            let port = try daemon.port(of: "device")
            for device in devices {
                device.ledger.reconnect()
                let goal = device.ledger.sent + 100
                try await device.run(port: port, until: goal)
                #expect(device.ledger.acknowledged == goal)
            }
            #expect(try await daemon.terminate() == .exited(0))
        }
        let verified = try await DaemonProcess.command(["log", "verify"], in: folder)
        #expect(verified.end == .exited(0), "\(verified.output)")
    }

    /// The record is what the device sent, and replaying gives what was live.
    func expectWhole(in folder: TemporaryFolder) async throws {
        try await RecordedSession(session, in: folder).expectEverything(of: self)
        let replayed = try await DaemonProcess.command(
            ["replay", session, "--verify"], in: folder)
        #expect(replayed.end == .exited(0), "\(replayed.output) \(replayed.complaint)")
    }
}
