import Client
import Foundation
import Registry
import SegmentLog
import SensorModel
import Sharing
import Testing
import Transport

@testable import Daemon
@testable import Runtime

/// Results of sessions are computed ahead of requests, and no request waits for all of them.
@Suite(.serialized) struct ResultsUpkeepTests {
    /// Runs `body` with a restarted daemon, `count` sessions of one device, and no stored results.
    static func run(
        sessions count: Int,
        _ body: (RunningDaemon, _ token: String, [SessionID]) async throws -> Void
    ) async throws {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sessions = (0..<count).map(RunningDaemon.session)
        var token = ""
        try await RunningDaemon.again(in: folder) { running in
            token = try running.addDevice("ann")
            for session in sessions {
                try await running.sendHeartRates([130], token: token, session: session)
            }
            running.daemon.pipeline.upkeep.stop()
            let upkeep = running.daemon.pipeline.upkeep
            #expect(try await running.eventually { upkeep.isIdle })
            try running.daemon.accounts.registry.deleteResults(of: sessions)
        }
        try await RunningDaemon.again(in: folder) { running in
            try await body(running, token, sessions)
        }
    }

    private static func kept(
        _ running: RunningDaemon, _ sessions: [SessionID]
    ) throws -> [SessionID: SessionResult] {
        try running.daemon.accounts.registry.results(of: sessions)
    }

    @Test func `After a start all that miss are computed, without anybody asking`() async throws {
        // More sessions than one batch holds.
        let count = ResultsUpkeep.batchMax + 4
        try await Self.run(sessions: count) { running, _, sessions in
            #expect(
                try await running.eventually {
                    try Self.kept(running, sessions).count == sessions.count
                })
            let log = running.daemon.pipeline.log
            for (session, result) in try Self.kept(running, sessions) {
                #expect(result.totals?.maxHeartRate == 130)
                #expect(result.lastOffset == log.summary(of: session)?.lastOffset)
            }
        }
    }

    @Test func `A session is computed once it has ended`() async throws {
        try await RunningDaemon.run {
            $0.ingest.silenceSeconds = 1
        } _: { running in
            let token = try running.addDevice("ann")
            let session = RunningDaemon.session(0)
            try await running.sendHeartRates([120, 140], token: token, session: session)
            #expect(
                try await running.eventually {
                    try Self.kept(running, [session])[session]?.totals?.maxHeartRate == 140
                })
            let result = try #require(try Self.kept(running, [session])[session])
            let log = running.daemon.pipeline.log
            #expect(result.lastOffset == log.summary(of: session)?.lastOffset)
            #expect(result.totals?.state == .ended)
        }
    }

    @Test func `What shares hide of a session is found out once it has ended`() async throws {
        try await RunningDaemon.run {
            $0.ingest.silenceSeconds = 1
        } _: { running in
            let token = try running.addDevice("ann")
            _ = try running.addShare(of: "ann")
            let zones = try await running.ask(
                .put, "/v1/me/zones", token: token,
                body: #"{"zones":[{"name":"z","latitude":48,"longitude":11,"radiusMeters":200}]}"#)
            try #require(zones.status == 200)
            let session = RunningDaemon.session(0)
            let rates = [Int](repeating: 120, count: 600)
            try await running.sendHeartRates(rates, token: token, session: session)
            let (pipeline, accounts) = (running.daemon.pipeline, running.daemon.accounts)
            let device = try #require(accounts.device(named: "ann")).id
            let rule = accounts.rule(of: device, at: WallClock.now())
            #expect(rule != .everything)
            #expect(
                try await running.eventually {
                    let summary = try #require(pipeline.log.summary(of: session))
                    return pipeline.reader.indexes.index(of: summary, by: rule) != nil
                })
        }
    }

    @Test func `Training computes a few, says how many are pending, and has them computed`()
        async throws
    {
        let atOnce = 16
        try await Self.run(sessions: atOnce + 6) { running, token, sessions in
            let pipeline = running.daemon.pipeline
            pipeline.upkeep.stop()
            #expect(try await running.eventually { pipeline.upkeep.isIdle })
            try pipeline.results.delete(sessions)

            func ask() async throws -> (pending: Int?, today: Int?) {
                let answer = try await running.ask(
                    .get, "/v1/me/training?days=2", token: token)
                #expect(answer.status == 200)
                let days = answer.object["days"] as? [[String: Any]] ?? []
                return (
                    answer.object["sessionsPending"] as? Int,
                    days.compactMap { $0["sessions"] as? Int }.reduce(0, +)
                )
            }
            let first = try await ask()
            #expect(first.pending == 6)
            #expect(first.today == atOnce)
            #expect(try Self.kept(running, sessions).count == atOnce)
            // The newest session comes first, because users look at it first.
            #expect(try Self.kept(running, [sessions[0]]).isEmpty)
            let second = try await ask()
            #expect(second.pending == 0)
            #expect(second.today == sessions.count)
        }
    }
}
