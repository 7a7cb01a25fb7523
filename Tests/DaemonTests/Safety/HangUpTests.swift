import Client
import Foundation
import SegmentLog
import SensorModel
import Synchronization
import Testing
import Transport

@testable import Daemon
@testable import Runtime

/// A client that disconnects leaves no work behind: log reads for it end after the current block.
@Suite(.serialized) struct HangUpTests {
    private static let session = SessionID(high: 0x4000, low: 0x8000_0000_0000_0000)
    /// Frames of a session, whose records fill several blocks of 256 KiB.
    private static let frames = 5000

    /// Runs `body` with a session whose start is hidden, in a daemon that has not read the session.
    private static func run(
        _ body: (RunningDaemon, _ token: String, _ share: String, GatedDisk.Gate) async throws
            -> Void
    ) async throws {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var (token, share) = ("", "")
        try await RunningDaemon.again(in: folder) { running in
            token = try running.addDevice("ann")
            share = try running.addShare(of: "ann")
            try await hide(meters: 100, running, token)
            let rates = (0..<frames).map { 100 + $0 % 60 }
            try await running.sendHeartRates(rates, token: token, session: session)
        }
        let gate = GatedDisk.Gate()
        let disk = { (path: String) in GatedDisk(base: PosixDisk(path: path), gate: gate) }
        try await RunningDaemon.again(in: folder, disk: disk) { running in
            // After this request, the session's result is known.
            _ = try await running.ask(.get, "/v1/me/sessions", token: token)
            #expect(try await running.eventually { try await isSettled(running) })
            // The new setting makes sure that no reading knows which parts are hidden.
            try await hide(meters: 200, running, token)
            try await body(running, token, share, gate)
            gate.open()
        }
    }

    private static func hide(
        meters: Int, _ running: RunningDaemon, _ token: String
    ) async throws {
        let zones = """
            {"zones":[{"name":"home","latitude":48.1,"longitude":11.5,"radiusMeters":\(meters)}]}
            """
        let answer = try await running.ask(.put, "/v1/me/zones", token: token, body: zones)
        #expect(answer.status == 200)
    }

    /// Whether the daemon has determined what the shares show, which it does at each start.
    private static func isSettled(_ running: RunningDaemon) async throws -> Bool {
        let shares = running.daemon.accounts.shares
        let open = await running.daemon.pipeline.mailbox.ask { core in
            shares.contains { core.unresolved(by: $0) != nil }
        }
        return open == false && isIdle(running)
    }

    /// - Returns: Whether the pool has nothing to do.
    private static func isIdle(_ running: RunningDaemon) -> Bool {
        let pool = running.daemon.pipeline.reader.pool
        return pool.running == 0 && pool.waiting == 0
    }

    @Test(arguments: [
        "/v1/me/sessions/SESSION/export?format=gpx",
        "/v1/me/sessions/SESSION/export?format=mcap",
        "/v1/me/sessions/SESSION/report",
        "/v1/shares/SHARE/history?limit=1000&after=e1-9999",
    ])
    func `Nothing more is read for an answer once its connection is closed`(
        path: String
    ) async throws {
        try await Self.run { running, token, share, gate in
            let target = path.replacing("SHARE", with: share)
                .replacing("SESSION", with: "\(Self.session)")
            // The block read that is held. The pass for hidden parts is made once, so nothing of
            // the session has been read before.
            var held = 2
            if !path.contains("SHARE") {
                gate.begin(holding: nil)
                #expect(try await running.ask(.get, target, token: token).status == 200)
                held = gate.reads - 1
                try #require(held > 1)
            }
            let counters = running.daemon.pipeline.loops.counters
            #expect(
                try await running.eventually {
                    counters.connectionsOpen.load(ordering: .relaxed) == 0
                })
            gate.begin(holding: held)
            let fields: HTTPFields = ["Authorization": "Bearer " + token]
            let answer = try await HTTPClient(try running.address(.http))
                .stream(.get, target, fields: fields)
            let client = Task { for try await _ in answer {} }
            #expect(try await running.eventually { gate.isHolding })
            client.cancel()
            #expect(
                try await running.eventually {
                    counters.connectionsOpen.load(ordering: .relaxed) == 0
                })
            gate.open()
            #expect(try await running.eventually { Self.isIdle(running) })
            // Any pending work has had its turn by then.
            #expect(try await running.ask(.get, "/v1/me", token: token).status == 200)
            #expect(try await running.eventually { Self.isIdle(running) })
            #expect(gate.reads == held)
        }
    }

    @Test func `Nothing more is read of what a viewer missed once it has left`() async throws {
        try await Self.run { running, _, share, gate in
            // The first read is the record at the cursor, the second is the session.
            gate.begin(holding: 2)
            let target = "/v1/shares/\(share)/live?after=e1-9999"
            let viewer = try await running.socket(target)
            #expect(try await running.eventually { gate.isHolding })
            await viewer.close()
            let mailbox = running.daemon.pipeline.mailbox
            #expect(
                try await running.eventually { await mailbox.ask { $0.subscribers.count } == 0 })
            gate.open()
            #expect(try await running.eventually { Self.isIdle(running) })
            #expect(await mailbox.ask { $0.subscribers.count } == 0)
            #expect(gate.reads == 2)
        }
    }
}
