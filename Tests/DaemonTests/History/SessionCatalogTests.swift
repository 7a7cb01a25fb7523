import Registry
import Runtime
import SegmentLog
import SensorModel
import Synchronization
import Testing

@testable import Daemon

/// The in-memory catalog of sessions: cost of a list, and its content after an erasure.
@Suite struct SessionCatalogTests {
    @Test func `What one device is asked for does not depend on the sessions of another`()
        async throws
    {
        try await RunningDaemon.run { running in
            let (alice, bob) = (try running.addDevice("alice"), try running.addDevice("bob"))
            for number in 0..<3 {
                try await running.sendHeartRates(
                    [120], token: alice, session: RunningDaemon.session(number))
            }
            for number in 3..<9 {
                try await running.sendHeartRates(
                    [90], token: bob, session: RunningDaemon.session(number))
            }
            let catalog = running.daemon.pipeline.catalog
            let id = try running.daemon.administration.known("alice").id
            #expect((0..<9).allSatisfy { catalog.isHeld(RunningDaemon.session($0)) })

            /// Returns the result of `work` and how often it queried the log.
            func asked<Found>(_ work: () -> Found) -> (found: Found, questions: Int) {
                let before = catalog.questions.load(ordering: .relaxed)
                let found = work()
                return (found, catalog.questions.load(ordering: .relaxed) - before)
            }
            let own = asked { catalog.page(of: .device(id), limit: 10).sessions }
            #expect(own.found.map(\.session) == [2, 1, 0].map(RunningDaemon.session))
            #expect(own.questions == 3)
            let newest = asked { catalog.page(of: .anybody, limit: 2) }
            #expect(newest.found.sessions.map(\.session) == [8, 7].map(RunningDaemon.session))
            #expect(newest.found.more)
            #expect(newest.questions == 3)
            let one = asked { catalog.summary(of: RunningDaemon.session(1)) }
            #expect(one.found?.device == id)
            #expect(one.questions == 1)
            let owner = asked { catalog.device(of: RunningDaemon.session(2)) }
            #expect(owner.found == id)
            #expect(owner.questions == 0)
            #expect(catalog.device(of: RunningDaemon.session(99)) == nil)
        }
    }

    @Test func `An erasure takes its sessions out of the list and leaves the others in order`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("alice")
            for number in 0..<5 {
                try await running.sendHeartRates(
                    [120], token: token, session: RunningDaemon.session(number))
            }
            let (catalog, log) = (running.daemon.pipeline.catalog, running.daemon.pipeline.log)
            func listed() -> [SessionID] {
                catalog.page(of: .anybody, limit: 10).sessions.map(\.session)
            }
            // After a failed erasure, the sessions that the log still holds stay listed.
            catalog.erased([RunningDaemon.session(1)])
            #expect(listed() == [4, 3, 2, 1, 0].map(RunningDaemon.session))
            for number in [3, 0] {
                _ = try await running.daemon.administration.deleteSession(
                    RunningDaemon.session(number))
            }
            #expect(listed() == [4, 2, 1].map(RunningDaemon.session))
            #expect(catalog.summary(of: RunningDaemon.session(3)) == nil)
            // The list equals that of a full scan of the log.
            #expect(listed().reversed() == log.sessions().map(\.session))
            catalog.reload()
            #expect(listed() == [4, 2, 1].map(RunningDaemon.session))
        }
    }

    @Test func `Sessions around a record are found among all of a device`() async throws {
        try await RunningDaemon.run { running in
            let (alice, bob) = (try running.addDevice("alice"), try running.addDevice("bob"))
            for number in 0..<4 {
                try await running.sendHeartRates(
                    [120, 121], token: number == 2 ? bob : alice,
                    session: RunningDaemon.session(number))
            }
            let catalog = running.daemon.pipeline.catalog
            let id = try running.daemon.administration.known("alice").id
            let all = running.daemon.pipeline.log.sessions(of: id)
            #expect(all.count == 3)
            let ends = running.daemon.pipeline.log.sessions().flatMap {
                [$0.firstOffset.rawValue, $0.lastOffset.rawValue]
            }
            #expect(ends.count == 8)
            for number in ends.flatMap({ $0 - 4...$0 + 4 }) {
                let offset = RecordOffset(rawValue: number)
                let expected = all.filter {
                    $0.firstOffset <= offset && number <= $0.lastOffset.rawValue + 2
                }
                let found = catalog.sessions(of: id, around: offset, beyond: 2)
                #expect(found.map(\.session) == expected.map(\.session))
            }
        }
    }
}
