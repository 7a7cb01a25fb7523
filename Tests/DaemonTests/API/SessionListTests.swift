import Client
import Foundation
import Registry
import SegmentLog
import SensorModel
import Testing

@testable import Daemon
@testable import Runtime
import Transport

/// Session lists, their pages, and session IDs by prefix.
@Suite(.serialized) struct SessionListTests {
    /// Records sessions of two devices alternately; alice's have even numbers.
    private static func record(_ count: Int, in running: RunningDaemon) async throws -> [String] {
        let tokens = [try running.addDevice("alice"), try running.addDevice("bob")]
        for number in 0..<count {
            try await running.sendHeartRates(
                [120, 121], token: tokens[number % 2], session: RunningDaemon.session(number))
        }
        return tokens
    }

    private static func ids(_ answer: HTTPClient.Answer) -> [String] {
        answer.list.compactMap { $0["id"] as? String }
    }

    @Test func `Pages join without a hole or a repetition, whoever asks`() async throws {
        try await RunningDaemon.run { running in
            let tokens = try await Self.record(7, in: running)
            let all = (0..<7).reversed().map { "\(RunningDaemon.session($0))" }
            let own = all.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            for (path, token, expected) in [
                ("/v1/me/sessions", tokens[0], own), ("/sessions", nil as String?, all),
                ("/sessions?device=ALICE", nil, own),
            ] {
                var (next, found, pages) = (path, [String](), 0)
                repeat {
                    let join = next.contains("?") ? "&" : "?"
                    let target = next.contains("limit=") ? next : next + join + "limit=2"
                    let answer =
                        token == nil
                        ? try await running.admin(.get, target)
                        : try await running.ask(.get, target, token: token)
                    #expect(answer.status == 200, "\(target) \(answer.text)")
                    found += Self.ids(answer)
                    pages += 1
                    let link = answer.fields["Link"]
                    #expect(link?.hasSuffix(#"; rel="next""#) ?? true)
                    next = link.map { String($0.dropFirst().prefix { $0 != ">" }) } ?? ""
                } while !next.isEmpty && pages < 10
                #expect(found == expected)
                #expect(pages == (expected.count + 1) / 2)
            }
        }
    }

    @Test func `A list goes back to a time, and refuses what is no page`() async throws {
        try await RunningDaemon.run { running in
            let token = try await Self.record(1, in: running)[0]
            let now = WallClock.now().secondsSince1970
            for (query, count) in [("since=\(now - 60)", 1), ("since=\(now + 60)", 0)] {
                let answer = try await running.ask(.get, "/v1/me/sessions?\(query)", token: token)
                #expect(answer.status == 200 && answer.list.count == count)
            }
            for query in [
                "limit=0", "limit=1001", "limit=x", "before=x", "before=e4294967295-1",
                "since=yesterday", "since=nan",
            ] {
                let answer = try await running.ask(.get, "/v1/me/sessions?\(query)", token: token)
                #expect(answer.status == 400, "\(query) \(answer.text)")
            }
        }
    }

    @Test func `A session goes by its ID, by the first digits of it, and by latest`() async throws {
        try await RunningDaemon.run { running in
            _ = try await Self.record(3, in: running)
            for (name, number) in [
                ("\(RunningDaemon.session(1))", 1), ("0200", 1), ("0200-", nil), ("0300000000", 2),
                ("03000000-0000-40", 2), ("latest", 2), ("latest?device=bob", 1),
                ("latest?device=alice", 2), ("020", nil), ("0900", nil),
            ] as [(String, Int?)] {
                let answer = try await running.admin(.get, "/sessions/\(name)")
                #expect((answer.status == 200) == (number != nil), "\(name) \(answer.text)")
                #expect(
                    answer.object["id"] as? String == number.map { "\(RunningDaemon.session($0))" })
            }
            // Two session IDs with the same prefix.
            let twin = SessionID(high: RunningDaemon.session(0).high | 1, low: 1 << 63)
            let token = try running.addDevice("carol")
            try await running.sendHeartRates([99], token: token, session: twin)
            #expect(try await running.admin(.get, "/sessions/0100").status == 409)
            #expect(try await running.admin(.delete, "/sessions/0100").status == 409)
        }
    }

    @Test func `What a session amounted to is kept, and never shown once the session goes on`()
        async throws
    {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let session = RunningDaemon.session(0)
        var token = ""
        func heart(_ running: RunningDaemon) async throws -> Double? {
            let row = try await running.ask(.get, "/v1/me/sessions", token: token).list[0]
            return row["maxHeartRate"] as? Double
        }
        func kept(_ running: RunningDaemon) throws -> SessionResult? {
            try running.daemon.accounts.registry.results(of: [session])[session]
        }
        try await RunningDaemon.again(in: folder) { running in
            token = try running.addDevice("alice")
            try await running.sendHeartRates([120, 130], token: token, session: session)
            #expect(try await heart(running) == 130)
        }
        var result: SessionResult?
        try await RunningDaemon.again(in: folder) { running in
            #expect(try await heart(running) == 130)
            result = try kept(running)
            #expect(result?.totals?.maxHeartRate == 130)
        }
        let right = try #require(result)
        // The log is authoritative: a result that is bound to another log state is not shown.
        for (epoch, offset) in [
            (right.epoch + 1, right.lastOffset.rawValue),
            (right.epoch, right.lastOffset.rawValue - 1),
        ] {
            try await RunningDaemon.again(in: folder) { running in
                var stale = right
                stale.totals?.maxHeartRate = 200
                (stale.epoch, stale.lastOffset) = (epoch, RecordOffset(rawValue: offset))
                try running.daemon.accounts.registry.putResults([stale])
                #expect(try await heart(running) == 130)
                #expect(try kept(running) == right)
            }
        }
        try await RunningDaemon.again(in: folder) { running in
            let maximum = try await heart(running)
            #expect(maximum == 130)
            let path = "/v1/me/sessions/\(session)"
            #expect(try await running.ask(.delete, path, token: token).status == 200)
            #expect(try kept(running) == nil)
            #expect(try await running.ask(.get, "/v1/me/sessions", token: token).list.isEmpty)
        }
    }

    @Test func `A session that goes on after a restart is shown as it is`() async throws {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var token = ""
        try await RunningDaemon.again(in: folder) { running in
            token = try running.addDevice("alice")
            try await running.sendHeartRates([120], token: token, session: RunningDaemon.session(0))
        }
        try await RunningDaemon.again(in: folder) { running in
            #expect(try await running.ask(.get, "/v1/me/training", token: token).status == 200)
            try await running.sendHeartRates(
                [120, 150], token: token, session: RunningDaemon.session(0))
            #expect(
                try await running.eventually {
                    let row = try await running.ask(.get, "/v1/me/sessions", token: token).list[0]
                    return row["maxHeartRate"] as? Double == 150 && row["frames"] as? Int == 2
                })
        }
    }
}
