import Client
import Foundation
import Registry
import SegmentLog
import SensorModel
import Synchronization
import Testing
import Transport
import WireFormat

@testable import Runtime
@testable import API
@testable import Daemon

/// A lost or restored registry with a log of another age.
@Suite(.serialized) struct AgreementTests {
    private static let session = SessionID(high: 0xA11CE, low: 1 << 63)

    private static func removeRegistry(in folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder)
        where name.hasPrefix("registry.sqlite") {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }

    @Test func `After the registry is lost nobody owns another's sessions`() async throws {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await RunningDaemon.again(in: folder) { running in
            let token = try running.addDevice("alice")
            try await running.sendHeartRates([120], token: token, session: Self.session)
        }
        try Self.removeRegistry(in: folder)
        try await RunningDaemon.again(in: folder) { running in
            let token = try running.addDevice("bob")
            let bob = try running.daemon.administration.known("bob")
            #expect(bob.id == DeviceID(rawValue: 2))
            #expect(try await running.ask(.get, "/v1/me/sessions", token: token).list.isEmpty)
            let path = "/v1/me/sessions/\(Self.session)"
            #expect(try await running.ask(.get, path, token: token).status == 404)
            #expect(try await running.ask(.delete, path, token: token).status == 404)

            let orphans = try await running.admin(.get, "/sessions?orphans=true").list
            #expect(orphans.map { $0["id"] as? String } == ["\(Self.session)"])
            #expect(orphans.first.map { $0["device"] is String } == false)
            let findings = try DoctorThresholds.agreement(running.daemon.administration.agreement())
            #expect(findings.map(\.verdict) == [.warning])
            #expect(findings[0].advice.contains("session delete --orphans"))

            #expect(try await running.admin(.delete, "/sessions").status == 400)
            let erased = try await running.admin(.delete, "/sessions?orphans=true")
            #expect(erased.object["sessionsErased"] as? Int == 1)
            #expect(try await running.admin(.get, "/sessions").list.isEmpty)
            #expect(
                try DoctorThresholds.agreement(running.daemon.administration.agreement())
                    .map(\.verdict) == [.fine])
        }
        // The number of a device is not reused after its last session is gone.
        try await RunningDaemon.again(in: folder) { running in
            _ = try running.addDevice("carol")
            #expect(try running.daemon.administration.known("carol").id == DeviceID(rawValue: 3))
        }
    }

    @Test func `A registry of another log is told until it is accepted`() async throws {
        try await RunningDaemon.run { running in
            let administration = running.daemon.administration
            let epoch = administration.log.epoch
            #expect(try administration.accounts.registry.logEpoch() == epoch)
            try administration.accounts.registry.setLogEpoch(epoch + 1)
            try administration.reconcileWithLog()
            let findings = try DoctorThresholds.agreement(administration.agreement())
            #expect(findings.map(\.verdict) == [.warning])
            #expect(findings[0].advice.contains("doctor --accept-log"))
            #expect(try await running.admin(.post, "/agreement/accept-log").status == 200)
            #expect(try administration.agreement().isSameLog)
        }
    }

    /// The log is restored from before a session, or from before a session's end.
    @Test(arguments: [SessionID(high: 0xB0B, low: 1 << 63), session])
    func `A log older than its registry is told until it is accepted`(
        lacking later: SessionID
    ) async throws {
        let folder = RunningDaemon.newFolder()
        let (log, older) = (folder + "/log", folder + "-older")
        defer {
            try? FileManager.default.removeItem(atPath: folder)
            try? FileManager.default.removeItem(atPath: older)
        }
        var token = ""
        func isKept(_ running: RunningDaemon, _ session: SessionID) async throws -> Bool {
            try await running.eventually {
                let last = running.daemon.pipeline.log.summary(of: session)?.lastOffset
                return try running.daemon.accounts.registry.results(of: [session])[session]
                    .map { $0.lastOffset == last } ?? false
            }
        }
        try await RunningDaemon.again(in: folder) { running in
            token = try running.addDevice("alice")
            try await running.sendHeartRates([120], token: token, session: Self.session)
        }
        try FileManager.default.copyItem(atPath: log, toPath: older)
        try await RunningDaemon.again(in: folder) { running in
            try await running.sendHeartRates([120, 121], token: token, session: later)
        }
        try await RunningDaemon.again(in: folder) { running in
            #expect(try await isKept(running, later))
            let agreement = try running.daemon.administration.agreement()
            #expect(agreement.missing == 0)
        }
        try FileManager.default.removeItem(atPath: log)
        try FileManager.default.moveItem(atPath: older, toPath: log)
        try await RunningDaemon.again(in: folder) { running in
            #expect(
                try await running.eventually { running.daemon.hasReconciledResults.withLock { $0 } }
            )
            // The result of the shortened session is recomputed, which must not hide the loss.
            #expect(try await isKept(running, Self.session))
            let administration = running.daemon.administration
            let findings = try DoctorThresholds.agreement(administration.agreement())
            #expect(findings.map(\.verdict) == [.warning])
            #expect(findings.first?.found.contains("lacks 1 session(s)") == true)
            #expect(findings.first?.advice.contains("doctor --accept-log") == true)
            #expect(try await running.admin(.post, "/agreement/accept-log").status == 200)
            #expect(
                try DoctorThresholds.agreement(administration.agreement()).map(\.verdict)
                    == [.fine])
            let registry = administration.accounts.registry
            if later != Self.session { #expect(try registry.results(of: [later]).isEmpty) }
        }
    }

    @Test func `Sessions older than their device are told`() {
        let agreement = Agreement(
            logEpoch: 1, registryEpoch: 1, orphans: [],
            older: [.init(device: "bob", sessions: 3)])
        let findings = DoctorThresholds.agreement(agreement)
        #expect(findings.map(\.verdict) == [.warning])
        #expect(findings[0].found.contains("3 session(s) of bob"))
    }

    /// A watch or push presents a valid token, and its device is deleted before the first frame.
    @Test(arguments: ["watch", "push"])
    func `What is on its way while its device is deleted begins no session`(
        by kind: String
    ) async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("gone")
            let device = try running.daemon.administration.known("gone").id
            let client = try await DeviceClient.connect(
                to: try running.address(.tcp), format: .text)
            if kind == "watch" {
                try await client.send(Hello(token: token, session: Self.session))
                for try await answer in client.answers {
                    if case .welcome = answer { break }
                }
            }
            _ = try await running.daemon.administration.deleteDevice(named: "gone")
            if kind == "watch" {
                let line = #"{"type":"heartRate","heartRate":99,"timestamp":1790000000,"seq":1}"#
                // Its connection may be closed already.
                try? await client.send(text: Array(line.utf8))
                for try await answer in client.answers {
                    if case .ack = answer { Issue.record("a frame of a deleted device was taken") }
                }
            } else {
                let line = PushQueue(
                    session: Self.session, device: device, pipeline: running.daemon.pipeline,
                    isDurable: true, counters: PushCounters())
                let beats = try HeartRateSample(beatsPerMinute: 99)
                let now = WallClock.now()
                let frame = Frame(sequence: .none, deviceTime: now, payload: .heartRate(beats))
                #expect(await line.send([frame], at: now) == .gone)
                await line.close()
            }
            await client.close()
            #expect(try await running.admin(.get, "/sessions").list.isEmpty)
            #expect(running.daemon.pipeline.log.sessions().isEmpty)
        }
    }
}
