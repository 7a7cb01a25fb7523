import Client
import Registry
import SensorModel
import Sharing
import Synchronization
import Testing

@testable import Daemon
@testable import Runtime
import Transport

/// The end of a share ends its open streams.
@Suite(.serialized) struct ShareEndTests {
    private static let session = SessionID(high: 0x4010, low: 1 << 63)

    private static func share(_ running: RunningDaemon, _ name: String) throws -> Share {
        try #require(running.daemon.accounts.shares.first { $0.name == name })
    }

    /// The close code that a viewer receives; messages before it are ignored.
    private static func closeCode(_ viewer: ViewerClient) async -> Int? {
        do {
            for try await _ in viewer.events {}
        } catch ClientError.closed(let code) {
            return Int(code)
        } catch {}
        return nil
    }

    enum End: CaseIterable { case expired, revoked, rotated, deleted }

    /// Covers live viewers and viewers of a recording, who are members of no feed.
    @Test(arguments: End.allCases)
    func `Whoever watches when a share ends is closed with 4010, with its device 4004`(
        end: End
    ) async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            try await running.sendHeartRates([140, 141], token: token, session: Self.session)
            let id = try running.addShare(of: "ann") {
                $0.name = "link"
                if end == .expired { $0.expiresInSeconds = 1.5 }
            }
            let path = "/v1/shares/\(id)/live"
            let live = try await running.socket(path)
            let past = try await running.socket(path + "?at=1000000000")
            let sought = try await running.socket(path)
            try await sought.say(#"{"seek":1000000000}"#)
            let http = HTTPClient(try running.address(.http))
            async let stream = http.send(.get, "/v1/shares/\(id)/events")
            async let beats = http.send(
                .get, "/publicStreams/\(id)/heartRate.json",
                fields: ["Accept": "text/event-stream"])
            let known = try Self.share(running, "link")
            let isIn = try await running.eventually {
                running.daemon.pipeline.counters.viewers.load(ordering: .relaxed) == 4
                    && running.daemon.accounts.withState { $0.viewers.watching(known.key) } == 5
            }
            #expect(isIn)
            switch end {
            case .expired: break
            case .revoked: try running.daemon.administration.revokeShare(known)
            case .rotated: _ = try running.daemon.administration.rotateShare(known)
            case .deleted:
                _ = try await running.daemon.administration.deleteDevice(named: "ann")
            }
            for viewer in [live, past, sought] {
                #expect(await Self.closeCode(viewer) == (end == .deleted ? 4004 : 4010))
            }
            #expect(try await stream.status == 200)
            #expect(try await beats.status == 200)
            #expect(try await running.ask(.get, "/v1/shares/\(id)/latest").status == 404)
            let isOut = try await running.eventually {
                running.daemon.accounts.withState { $0.viewers.watching(known.key) } == 0
            }
            #expect(isOut)
        }
    }

    @Test func `A group goes on without a member, and ends with the last`() async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            _ = try running.addDevice("bob")
            _ = try running.addShare(of: "ann") { $0.name = "a" }
            _ = try running.addShare(of: "bob") { $0.name = "b" }
            let (first, second) = (try Self.share(running, "a"), try Self.share(running, "b"))
            let administration = running.daemon.administration
            let group = try administration.createShare(
                ShareRequest(), of: .group([first.key, second.key]), stem: "both")
            let path = "/v1/shares/\(group.id.text)"
            let viewer = try await running.socket(path + "/live")
            var events = viewer.events.makeAsyncIterator()
            #expect(try await events.next()?.contains("snapshot") == true)
            try administration.revokeShare(first)
            #expect(await Self.closeCode(viewer) == 1001)

            let again = try await running.socket(path + "/live")
            var rest = again.events.makeAsyncIterator()
            #expect(try await rest.next()?.contains(#""runner":"b""#) == true)
            try administration.revokeShare(second)
            #expect(await Self.closeCode(again) == 4010)
            let unknown = String(repeating: "A", count: 22)
            let gone = try await running.ask(.get, path + "/latest")
            let never = try await running.ask(.get, "/v1/shares/\(unknown)/latest")
            #expect(gone.status == 404 && gone.body == never.body)
        }
    }

    @Test func `A group's own link ends without its members`() async throws {
        try await RunningDaemon.run { running in
            for name in ["ann", "bob"] {
                _ = try running.addDevice(name)
                _ = try running.addShare(of: name) { $0.name = name }
            }
            let members = try ["ann", "bob"].map { try Self.share(running, $0).key }
            let administration = running.daemon.administration
            let group = try administration.createShare(
                ShareRequest(), of: .group(members), stem: "both")
            let viewer = try await running.socket("/v1/shares/\(group.id.text)/live")
            let id = try #require(running.daemon.accounts.secretID(of: members[0])).text
            let single = try await running.socket("/v1/shares/\(id)/live")
            let isIn = try await running.eventually {
                running.daemon.pipeline.counters.viewers.load(ordering: .relaxed) == 2
            }
            #expect(isIn)
            _ = try administration.rotateShare(group.share)
            #expect(await Self.closeCode(viewer) == 4010)
            var events = single.events.makeAsyncIterator()
            #expect(try await events.next()?.contains("snapshot") == true)
            await single.close()
        }
    }

    /// Two requests of one device may delete the same old share; the second must also succeed.
    @Test func `A share is made although another request deleted an old one meanwhile`()
        async throws
    {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            for number in 0...200 {
                _ = try running.addShare(of: "ann") { $0.name = "old-\(number)" }
                let old = try Self.share(running, "old-\(number)")
                try running.daemon.administration.revokeShare(old)
            }
            let oldest = try Self.share(running, "old-0")
            try running.daemon.accounts.registry.deleteShare(oldest.key)
            _ = try running.addShare(of: "ann") { $0.name = "next" }
            #expect(try Self.share(running, "next").revokedAt == nil)
            #expect(running.daemon.accounts.shares.allSatisfy { $0.name != "old-0" })
        }
    }
}
