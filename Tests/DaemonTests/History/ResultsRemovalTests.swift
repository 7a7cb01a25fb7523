import Client
import Foundation
import Registry
import SegmentLog
import SensorModel
import Synchronization
import Testing

@testable import Daemon
@testable import Runtime

/// Retention removes the results of a session together with the session.
@Suite(.serialized) struct ResultsRemovalTests {
    private static func kept(
        _ running: RunningDaemon, _ sessions: [SessionID]
    ) throws -> Set<SessionID> {
        Set(try running.daemon.accounts.registry.results(of: sessions).keys)
    }

    /// Runs `body` with a restarted daemon and two sessions, each with a result and in its own
    /// segment.
    private static func run(
        _ body: (RunningDaemon, _ token: String, [SessionID]) async throws -> Void
    ) async throws {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sessions = [RunningDaemon.session(0), RunningDaemon.session(1)]
        var token = ""
        for session in sessions {
            try await RunningDaemon.again(in: folder) { running in
                if token.isEmpty { token = try running.addDevice("ann") }
                try await running.sendHeartRates([120, 130], token: token, session: session)
            }
        }
        try await RunningDaemon.again(in: folder) { running in
            #expect(
                try await running.eventually {
                    try kept(running, sessions) == Set(sessions)
                })
            #expect(
                try await running.eventually { running.daemon.hasReconciledResults.withLock { $0 } }
            )
            try await body(running, token, sessions)
        }
    }

    private static func retain(_ running: RunningDaemon) async {
        // The limit of 1 byte leaves only the newest segment.
        running.daemon.settings.withLock { $0.log.retentionBytes = 1 }
        await running.daemon.maintain()
    }

    @Test func `Retention deletes the results of sessions of which nothing is left`() async throws {
        try await Self.run { running, token, sessions in
            let newest = RunningDaemon.session(2)
            try await running.sendHeartRates([99], token: token, session: newest)
            await Self.retain(running)
            #expect(running.daemon.pipeline.log.sessions().map(\.session) == [newest])
            #expect(try Self.kept(running, sessions).isEmpty)
            #expect(try running.daemon.administration.agreement().missing == 0)
        }
    }

    @Test func `What a crash left after retention goes at the next start and is no disagreement`()
        async throws
    {
        try await Self.run { running, _, sessions in
            let registry = running.daemon.accounts.registry
            let results = try registry.results(of: sessions)
            await Self.retain(running)
            #expect(running.daemon.pipeline.log.sessions().isEmpty)
            try registry.putResults(Array(results.values))
            #expect(try Self.kept(running, sessions) == Set(sessions))
            #expect(try running.daemon.administration.agreement().missing == 0)
            #expect(running.daemon.administration.reconcileResults())
            #expect(try Self.kept(running, sessions).isEmpty)
        }
    }

    @Test func `No result is stored of a session that is being removed`() async throws {
        try await Self.run { running, _, sessions in
            let (results, catalog) = (
                running.daemon.pipeline.results, running.daemon.pipeline.catalog
            )
            let summary = try #require(catalog.summary(of: sessions[0]))
            try results.beginRemoving([sessions[0]]).get()
            #expect(try results.results(of: [summary]).count == 1)
            #expect(try Self.kept(running, sessions) == [sessions[1]])
            // The removal did not happen after all.
            results.endRemoving([sessions[0]])
            #expect(try results.results(of: [summary]).count == 1)
            #expect(try Self.kept(running, sessions) == Set(sessions))
        }
    }
}
