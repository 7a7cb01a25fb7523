import Testing

/// Final checks on devices after all faults of their daemon.
extension LedgerDevice {
    /// Starts the daemon a last time until all sent frames, and some more, are acknowledged.
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

    /// Checks that the log holds the sent frames and that a replay equals the live events.
    func expectWhole(in folder: TemporaryFolder) async throws {
        try await RecordedSession(session, in: folder).expectEverything(of: self)
        let replayed = try await DaemonProcess.command(
            ["replay", session, "--verify"], in: folder)
        #expect(replayed.end == .exited(0), "\(replayed.output) \(replayed.complaint)")
    }
}
