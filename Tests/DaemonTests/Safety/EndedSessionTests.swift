import Client
import Foundation
import SensorModel
import Sessions
import Sharing
import Testing
import Transport
import WireFormat

@testable import Daemon
@testable import Runtime

/// Data that must stay hidden: of a session ended before the share, of an erased one, and of a
/// revoked link.
@Suite(.serialized) struct EndedSessionTests {
    private static let session = SessionID(high: 0x4016, low: 1 << 63)

    /// Sends a hello for the session and then the lines, numbered in order.
    private static func send(
        _ lines: [String], from first: Int, _ running: RunningDaemon, token: String,
        session: SessionID = session
    ) async throws {
        let client = try await DeviceClient.connect(to: try running.address(.tcp), format: .text)
        try await client.send(Hello(token: token, session: session))
        for (index, line) in lines.enumerated() {
            try await client.send(
                text: Array((line.dropLast() + #","seq":\#(first + index)}"#).utf8))
        }
        for try await answer in client.answers {
            if case .welcome(let acked, _) = answer, lines.isEmpty, acked.rawValue > 0 { break }
            if case .ack(let sequence) = answer, sequence.rawValue >= first + lines.count - 1 {
                break
            }
        }
        await client.close()
    }

    private static func heartRate(_ rate: Int, ago: Double) -> String {
        let time = WallClock.now().secondsSince1970 - ago
        return #"{"type":"heartRate","heartRate":\#(rate),"timestamp":\#(time)}"#
    }

    private static func stop(ago: Double) -> String {
        let time = WallClock.now().secondsSince1970 - ago
        return #"{"type":"control","action":"stop","timestamp":\#(time)}"#
    }

    /// The values that the outlets return if nothing is shown.
    private static let nothing = ["waiting", "0", "0", "rested", "empty", "none"]

    /// Returns what the outlets tell of a share: state, items, heart rates, training days.
    private static func told(of share: String, _ running: RunningDaemon) async throws -> [String] {
        let latest = try await running.ask(.get, "/v1/shares/\(share)/latest")
        let history = try await running.ask(.get, "/v1/shares/\(share)/history?limit=1000")
        let rates = try await running.ask(.get, "/publicStreams/\(share)/heartRate.json")
        let newest = try await running.ask(.get, "/publicStreams/\(share)/latest.json")
        let week = try await running.ask(.get, "/v1/shares/\(share)/week")
        let viewer = try await running.socket("/v1/shares/\(share)/live")
        var events = viewer.events.makeAsyncIterator()
        let first = try await events.next() ?? ""
        await viewer.close()
        return [
            "\(latest.object["state"] ?? "none")",
            "\((history.object["items"] as? [Any])?.count ?? -1)", "\(rates.object.count)",
            String(decoding: week.body, as: UTF8.self).contains("true") ? "trained" : "rested",
            first.contains(#""bpm""#) ? "live" : "empty",
            newest.body == Array("null".utf8) ? "none" : "some",
        ]
    }

    /// - Returns: The token of a new device, and the ID of a share of it.
    private static func addAnn(to running: RunningDaemon) throws -> (token: String, share: String) {
        let token = try running.addDevice("ann")
        return (token, try running.addShare(of: "ann") { $0.name = "before" })
    }

    @Test func `A session that ended before a share was made is never visible on it`() async throws
    {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var (share, before, token) = ("", "", "")
        try await RunningDaemon.again(in: folder) { running in
            (token, before) = try Self.addAnn(to: running)
            try await Self.send(
                [Self.heartRate(140, ago: 3), Self.heartRate(141, ago: 2), Self.stop(ago: 1)],
                from: 1, running, token: token)
            let hasEnded = try await running.eventually {
                try await running.ask(.get, "/v1/shares/\(before)/latest").object["state"]
                    as? String == "ended"
            }
            #expect(hasEnded)
            share = try running.addShare(of: "ann") { $0.name = "after" }
            #expect(try await Self.told(of: share, running) == Self.nothing)
            // The watch reconnects and sends its backlog.
            try await Self.send([], from: 4, running, token: token)
            #expect(try await Self.told(of: share, running) == Self.nothing)
            try await Self.send(
                [Self.heartRate(150, ago: 1.5), Self.heartRate(151, ago: 0)], from: 4, running,
                token: token)
            #expect(try await Self.told(of: share, running) == Self.nothing)
        }
        try await RunningDaemon.again(in: folder) { running in
            // This is the first request: nothing has been read about the session's end.
            let (rates, reader) = (
                running.daemon.pipeline.heartRates, running.daemon.pipeline.reader
            )
            let after = try #require(running.daemon.accounts.shares.first { $0.name == "after" })
            for await news in rates.readings(of: after, by: after, reader) {
                #expect(news.reading == nil)
                break
            }
            #expect(try await Self.told(of: share, running) == Self.nothing)
            #expect(try await Self.told(of: before, running).prefix(1) == ["ended"])
            try await Self.send([], from: 4, running, token: token)
            #expect(try await Self.told(of: share, running) == Self.nothing)
        }
    }

    /// The log has no record of its end, and later frames of the device must not make it visible.
    @Test
    func `A session that a stop cut off was over when it had been silent, on a share made then`()
        async throws
    {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var (share, before, token) = ("", "", "")
        try await RunningDaemon.again(in: folder) { running in
            (token, before) = try Self.addAnn(to: running)
            try await Self.send(
                [Self.heartRate(140, ago: 2), Self.heartRate(141, ago: 1)], from: 1, running,
                token: token)
        }
        let silent: (inout Configuration) -> Void = { $0.ingest.silenceSeconds = 1 }
        try await RunningDaemon.again(in: folder, silent) { running in
            try await Task.sleep(for: .seconds(1.1))
            share = try running.addShare(of: "ann") { $0.name = "after" }
            // The device continues the session before the first request.
            try await Self.send(
                [Self.heartRate(150, ago: 0.5), Self.heartRate(151, ago: 0)], from: 3, running,
                token: token)
            #expect(try await Self.told(of: share, running) == Self.nothing)
            #expect(try await Self.told(of: before, running)[1] != "0")
        }
        try await RunningDaemon.again(in: folder, silent) { running in
            #expect(try await Self.told(of: share, running) == Self.nothing)
            try await Self.send([Self.heartRate(152, ago: 0)], from: 5, running, token: token)
            #expect(try await Self.told(of: share, running) == Self.nothing)
            #expect(try await Self.told(of: before, running)[1] != "0")
        }
    }

    /// It ends in memory, with a record of its end; the daemon also restarts in between.
    @Test
    func `A session that silence has ended goes on for the links that showed it, and for no other`()
        async throws
    {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let silent: (inout Configuration) -> Void = { $0.ingest.silenceSeconds = 1 }
        var (share, before, token) = ("", "", "")
        func newest(_ running: RunningDaemon) async throws -> String {
            String(
                decoding: try await running.ask(.get, "/v1/shares/\(before)/latest").body,
                as: UTF8.self)
        }
        func sendMore(_ running: RunningDaemon, with rate: Int, from number: Int) async throws {
            let isOver = try await running.eventually {
                try await newest(running).contains(#""state":"ended""#)
            }
            #expect(isOver)
            if share.isEmpty { share = try running.addShare(of: "ann") { $0.name = "after" } }
            try await Self.send(
                [Self.heartRate(rate, ago: 0.1), Self.heartRate(rate, ago: 0)], from: number,
                running, token: token)
            let isShown = try await running.eventually {
                try await newest(running).contains("\"bpm\":\(rate)")
            }
            #expect(isShown)
            #expect(try await Self.told(of: share, running) == Self.nothing)
        }
        try await RunningDaemon.again(in: folder, silent) { running in
            (token, before) = try Self.addAnn(to: running)
            try await Self.send(
                [Self.heartRate(140, ago: 2), Self.heartRate(141, ago: 1)], from: 1, running,
                token: token)
            try await sendMore(running, with: 150, from: 3)
            try await sendMore(running, with: 160, from: 5)
        }
        try await RunningDaemon.again(in: folder, silent) { running in
            #expect(try await Self.told(of: share, running) == Self.nothing)
            try await sendMore(running, with: 170, from: 7)
        }
    }

    @Test func `An erased session is not shown by a delay that still held it back`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann") { $0.delaySeconds = 2 }
            let viewer = try await running.socket("/v1/shares/\(share)/live")
            var events = viewer.events.makeAsyncIterator()
            _ = try await events.next()
            try await Self.send(
                [Self.heartRate(140, ago: 2), Self.stop(ago: 1)], from: 1, running, token: token)
            let next = SessionID(high: 0x4017, low: 1 << 63)
            try await Self.send(
                [Self.heartRate(170, ago: 0)], from: 1, running, token: token, session: next)
            let erased = try await running.ask(
                .delete, "/v1/me/sessions/\(Self.session)", token: token)
            #expect(erased.status == 200)
            var seen = ""
            do { while let event = try await events.next() { seen += event } } catch {
                #expect("\(error)".contains("1001"))
            }
            #expect(!seen.contains("140"))
            let again = try await running.socket("/v1/shares/\(share)/live")
            var rest = again.events.makeAsyncIterator()
            seen = ""
            while !seen.contains(#""bpm":170"#), let event = try await rest.next() { seen += event }
            #expect(!seen.contains("140"))
        }
    }

    @Test func `What was read for a link is told only while the link shows it`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            _ = try running.addShare(of: "ann")
            try await running.sendHeartRates([140], token: token, session: Self.session)
            let share = try #require(running.daemon.accounts.shares.first)
            func standing(_ sources: [CatchUp.Source]) async -> PipelineCore.Standing? {
                await running.daemon.pipeline.mailbox.ask { $0.standing(of: sources, for: share) }
            }
            let source = CatchUp.Source(
                share: share, privacy: .none, sessions: [Self.session],
                end: RecordOffset(rawValue: 1))
            #expect(await standing([source]) == .holds)
            let zones = try await running.ask(
                .put, "/v1/me/zones", token: token,
                body: #"{"zones":[{"name":"z","latitude":1,"longitude":1,"radiusMeters":100}]}"#)
            try #require(zones.status == 200)
            #expect(await standing([source]) == .changed)
            #expect(await standing([]) == .holds)
            _ = try running.daemon.administration.rotateShare(share)
            #expect(await standing([]) == .over)
            let rotated = try #require(running.daemon.accounts.shares.first)
            try running.daemon.administration.revokeShare(rotated)
            #expect(await standing([source]) == .over)
        }
    }

    @Test func `A session is played on shares of its own device alone`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            _ = try running.addDevice("bob")
            _ = try running.addShare(of: "bob") { $0.name = "bob" }
            try await running.sendHeartRates([140], token: token, session: Self.session)
            let answer = try await running.admin(
                .post, "/shares/bob/playback", #"{"session":"\#(Self.session)"}"#)
            #expect(answer.status == 409)
        }
    }
}
