import Client
import Foundation
import Glibc
import Testing
import Transport

extension SystemTests {
    /// Starts on a disk without space or inodes, or read-only; after a clean stop and after a kill;
    /// on common file systems.
    @Suite struct FullDiskTests {
        enum Disk: String, CaseIterable, Sendable {
            case full, withoutInodes, readOnly

            var words: String {
                switch self {
                case .full: "the disk is full"
                case .withoutInodes: "no inode left"
                case .readOnly: "read-only"
                }
            }
        }

        struct Case: Sendable, CustomTestStringConvertible {
            let kind: SmallVolume.Kind
            let disk: Disk
            let isKilled: Bool
            let reserveMebibytes: Int

            var testDescription: String {
                "\(kind) \(disk), \(isKilled ? "killed" : "ended"), reserve \(reserveMebibytes)"
            }
        }

        /// All cases, or a fifth, for each kind of disk and end. The reserve is removed before the
        /// start: nothing may take over on these disks.
        static let cases: [Case] = SmallVolume.Kind.allCases.flatMap { kind in
            Disk.allCases.flatMap { disk in
                [true, false].flatMap { isKilled in
                    [0, 16].map {
                        Case(kind: kind, disk: disk, isKilled: isKilled, reserveMebibytes: $0)
                    }
                }
            }
        }.enumerated().filter { Program.isLong || $0.offset % 5 == 0 }.map(\.element)

        @Test(arguments: cases)
        func `A daemon starts, serves, says why, tells devices, and gets well by itself`(
            the: Case
        ) async throws {
            // xfs allocates inodes as long as a block is free.
            if the.kind == .xfs, the.disk == .withoutInodes { return }
            try await TemporaryFolder.with { folder in
                try await SmallVolume.with(the.kind, in: folder) { volume in
                    try await Run(the: the, volume: volume, folder: folder).check()
                }
            }
        }

        @Test func `A first start without room waits, says so, and ends in service`() async throws {
            try await TemporaryFolder.with { folder in
                try await SmallVolume.with(.tmpfs, in: folder) { volume in
                    try volume.makeState(of: folder)
                    try await volume.fill()
                    try await DaemonProcess.run(in: folder) { daemon in
                        try await expectWaiting(daemon)
                        try volume.makeRoom()
                        #expect(try await daemon.readiness(within: .seconds(30)) == "ready\n")
                        let device = LedgerDevice(
                            token: try await daemon.addDevice("runner"), form: .text)
                        try await device.run(port: try daemon.port(of: "device"), until: 100)
                        #expect(device.ledger.acknowledged == 100)
                    }
                }
            }
        }

        private func expectWaiting(_ daemon: DaemonProcess) async throws {
            let ready = try await daemon.ask("operations", .get, "/readyz")
            let text = String(decoding: ready.body, as: UTF8.self)
            #expect(ready.status == 503)
            #expect(text.hasPrefix("the state folder cannot be used: the disk is full"), "\(text)")
            #expect(try await daemon.ask("http", .get, "/v1/me/sessions").status == 503)
            let socket = try PlainSocket(port: try daemon.port(of: "device"))
            defer { socket.close() }
            let device = LedgerDevice(token: "any", form: .text)
            await device.sayHello(on: socket)
            guard case .other(let json) = try await device.answer(from: socket) else {
                Issue.record("a device was welcomed without a state")
                return
            }
            #expect(json.contains(#""code":1013"#), "\(json)")
        }
    }
}

/// One start on such a disk.
private struct Run {
    let the: SystemTests.FullDiskTests.Case
    let volume: SmallVolume
    let folder: TemporaryFolder

    private var environment: [String: String] {
        [
            "PULSECAST_LOG_SEGMENT_MEBIBYTES": "8",
            "PULSECAST_LOG_RESERVE_MEBIBYTES": "\(the.reserveMebibytes)",
        ]
    }

    func check() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: DaemonProcess.state(in: folder),
            withDestinationPath: volume.mountPoint + "/state")
        try FileManager.default.createDirectory(
            atPath: volume.mountPoint + "/state", withIntermediateDirectories: true)
        let (device, share) = try await DaemonProcess.run(in: folder, environment: environment) {
            try await record($0)
        }
        try await takeAway()
        try await DaemonProcess.run(in: folder, environment: environment) { daemon in
            try await expectDegraded(daemon, device, share)
            try await giveBack()
            try await expectWell(daemon, device)
        }
        try await device.expectWhole(in: folder)
        let verified = try await DaemonProcess.command(["log", "verify"], in: folder)
        #expect(verified.end == .exited(0), "\(verified.output)")
    }

    private func record(
        _ daemon: DaemonProcess
    ) async throws -> (LedgerDevice, share: String) {
        let device = LedgerDevice(token: try await daemon.addDevice("runner"), form: .text)
        let share = try await daemon.addShare(of: "runner")
        try await device.run(port: try daemon.port(of: "device"), until: 3000)
        if the.isKilled {
            daemon.process.signal(SIGKILL)
            try await daemon.process.waitForEnd()
        } else {
            #expect(try await daemon.terminate() == .exited(0))
        }
        return (device, share)
    }

    private func takeAway() async throws {
        // A reserve would be used at once.
        let reserve = DaemonProcess.state(in: folder) + "/log/reserve"
        if the.reserveMebibytes > 0, FileManager.default.fileExists(atPath: reserve) {
            try FileManager.default.removeItem(atPath: reserve)
        }
        switch the.disk {
        case .full: try await volume.fill()
        case .withoutInodes: try await volume.takeInodes()
        case .readOnly: try await volume.mount(readOnly: true)
        }
    }

    private func giveBack() async throws {
        if the.disk == .readOnly {
            try await volume.mount(readOnly: false)
        } else {
            try volume.makeRoom()
        }
    }

    // MARK: - While the disk is full

    private func expectDegraded(
        _ daemon: DaemonProcess, _ device: LedgerDevice, _ share: String
    ) async throws {
        let ready = try await daemon.ask("operations", .get, "/readyz")
        #expect(ready.status == 503)
        let text = String(decoding: ready.body, as: UTF8.self)
        #expect(text.contains(the.disk.words), "\(text)")
        #expect(text.contains("the log cannot be written"), "\(text)")
        for path in ["/v1/shares/\(share)/history?limit=3", "/v1/shares/\(share)/latest"] {
            #expect(try await daemon.ask("http", .get, path).status == 200, "\(path)")
        }
        let own = try await daemon.ask("http", .get, "/v1/me/sessions", token: device.token)
        #expect(own.status == 200)
        #expect(String(decoding: own.body, as: UTF8.self).contains(device.session))
        try await expectTold(daemon, device)
        try await expectChanges(daemon, share)
    }

    /// Checks the refusal over TCP, as text and as binary frames, and over a WebSocket.
    private func expectTold(_ daemon: DaemonProcess, _ device: LedgerDevice) async throws {
        for form in LedgerDevice.Form.allCases {
            let socket = try PlainSocket(port: try daemon.port(of: "device"))
            defer { socket.close() }
            let other = LedgerDevice(token: device.token, form: form)
            await other.sayHello(on: socket)
            guard case .other(let json) = try await other.answer(from: socket) else {
                Issue.record("\(form): welcomed by a log that takes nothing")
                continue
            }
            #expect(json.contains(#""code":1013"#) && json.contains(#""type":"error""#), "\(json)")
        }
        let socket = try await DeviceClient.connect(
            to: try daemon.address("http", .ws, "/v1/device"), format: .text)
        let hello = #"{"type":"hello","token":"\#(device.token)","session":"\#(UUID())"}"#
        try await socket.send(text: Array(hello.utf8))
        var first: DeviceAnswer?
        for try await answer in socket.answers {
            first = answer
            break
        }
        guard case .error(1013, let reason) = first else {
            Issue.record("a WebSocket heard \(String(describing: first))")
            return
        }
        #expect(reason.contains(the.disk.words), "\(reason)")
        await socket.close()
    }

    /// Checks that a device cannot be added, unless the registry's own files have space, and that a
    /// share can be revoked.
    private func expectChanges(_ daemon: DaemonProcess, _ share: String) async throws {
        let added = try await daemon.command(["device", "add", "other"])
        let isRefused = added.end == .exited(1) && added.complaint.contains("cannot be changed")
        #expect(isRefused || added.end == .exited(0), "\(added.complaint)")
        let revoked = try await daemon.command(["share", "revoke", "runner"])
        let isInMemory = revoked.complaint.contains("refused from now on")
        #expect(revoked.end == .exited(0) || isInMemory, "\(revoked.complaint)")
        #expect(try await daemon.ask("http", .get, "/v1/shares/\(share)/latest").status == 404)
    }

    // MARK: - Once the disk accepts data

    private func expectWell(_ daemon: DaemonProcess, _ device: LedgerDevice) async throws {
        #expect(try await daemon.readiness(within: .seconds(30)) == "ready\n")
        let before = device.ledger.acknowledged
        try await device.run(port: try daemon.port(of: "device"), until: before + 500)
        #expect(device.ledger.acknowledged == before + 500)
        let shares = try await daemon.command(["share", "list", "--json"])
        let rows = try JSONSerialization.jsonObject(with: Data(shares.output.utf8))
        let revoked = (rows as? [[String: Any]])?.compactMap { $0["revoked"] as? Bool }
        #expect(revoked == [true])
        let added = try await daemon.command(["device", "add", "another"])
        #expect(added.end == .exited(0), "\(added.complaint)")
    }
}

extension DaemonProcess {
    fileprivate func ask(
        _ listener: String, _ method: HTTPRequest.Method, _ path: String, token: String? = nil
    ) async throws -> HTTPClient.Answer {
        var fields = HTTPFields()
        if let token { fields["Authorization"] = "Bearer " + token }
        return try await HTTPClient(address(listener, .http)).send(method, path, fields: fields)
    }
    /// - Returns: The answer of `/readyz` once it is ready, or after `time`.
    fileprivate func readiness(within time: Duration) async throws -> String {
        let end = ContinuousClock.now + time
        while true {
            let ready = try? await ask("operations", .get, "/readyz")
            if let ready, ready.status == 200 || ContinuousClock.now > end {
                return String(decoding: ready.body, as: UTF8.self)
            }
            guard ContinuousClock.now < end else { return "no answer" }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
