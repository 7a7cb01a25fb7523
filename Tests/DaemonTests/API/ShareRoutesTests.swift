import Client
import Foundation
import Secrets
import SensorModel
import Testing
import Transport
import WireFormat

@testable import Daemon
@testable import Runtime

@Suite(.serialized) struct ShareRoutesTests {
    private static let session = SessionID(high: 0x4003, low: 1 << 63)

    private static func object(_ text: String?) -> [String: Any] {
        let data = Data((text ?? "").utf8)
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }

    // MARK: Delay

    @Test func `A delay holds in the history and shows what is older`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let soon = try running.addShare(of: "ann") { $0.delaySeconds = 1 }
            let late = try running.addShare(of: "ann") { $0.delaySeconds = 3600 }
            try await running.sendHeartRates([140, 141], token: token, session: Self.session)
            for path in ["/v1/shares/ID/history", "/publicStreams/ID/heartRate.json"] {
                let now = try await running.ask(
                    .get, path.replacing("ID", with: late))
                #expect(now.status == 200)
                #expect(!now.text.contains("bpm"))
                let shown = try await running.eventually {
                    try await running.ask(.get, path.replacing("ID", with: soon))
                        .text.contains("\"bpm\":141")
                }
                #expect(shown, "\(path)")
            }
            let now = try await running.ask(.get, "/v1/shares/\(late)/overview")
            #expect(now.text.contains("\"bpm\":[]") && now.text.contains("\"cursor\":null"))
            // Both may be of one second, of which an overview has the newest.
            let shown = try await running.ask(.get, "/v1/shares/\(soon)/overview")
            #expect(shown.text.contains(#/"bpm":\[(140,)?141\]/#), "\(shown.text)")
        }
    }

    @Test(arguments: ["?at=NOW", "?at=4000000000", "?at=0&speed=64"])
    func `A recording that is watched shows nothing that a delay holds back`(
        query: String
    ) async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann") { $0.delaySeconds = 3600 }
            try await running.sendHeartRates([140, 141], token: token, session: Self.session)
            let now = "\(WallClock.now().secondsSince1970)"
            let socket = try await running.socket(
                "/v1/shares/\(share)/live" + query.replacing("NOW", with: now))
            var events = socket.events.makeAsyncIterator()
            let first = Self.object(try await events.next())
            #expect(first["type"] as? String == "snapshot")
            #expect(first["state"] as? String == "waiting")
            #expect(first["heartRate"] == nil)
            await socket.close()
        }
    }

    // MARK: History

    @Test func `Who polls a history is given a cursor to ask with, also when nothing is new`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            func page(_ query: String = "") async throws -> (count: Int?, next: String?) {
                let answer = try await running.ask(.get, "/v1/shares/\(share)/history" + query)
                let items = answer.object["items"] as? [Any]
                return (items?.count, answer.object["nextCursor"] as? String)
            }
            try await running.sendHeartRates([140, 141], token: token, session: Self.session)
            let first = try await page()
            let last = try #require(first.next)
            // The first page may have been read before the second's metrics were written.
            let rest = try #require(try await page("?after=\(last)").next)
            let end = try await page("?after=\(rest)")
            #expect(end.count == 0 && end.next == rest)
            // An invalid cursor gets one gap, not one for each page.
            let gap = try await page("?after=nothing&limit=1")
            let after = try #require(gap.next)
            let again = try await running.ask(
                .get, "/v1/shares/\(share)/history?after=\(after)")
            #expect(again.status == 200 && !again.text.contains(#""type":"gap""#))
        }
    }

    // MARK: Recordings

    @Test func `Who asks for a moment sees it first, and not what is live`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let rates = Array(100..<140)
            try await running.sendHeartRates(rates, token: token, session: Self.session)
            let moment = WallClock.now().secondsSince1970 - 20
            let socket = try await running.socket("/v1/shares/\(share)/live?at=\(moment)")
            var events = socket.events.makeAsyncIterator()
            let first = Self.object(try await events.next())
            let rate = (first["heartRate"] as? [String: Any])?["bpm"] as? Int
            #expect(first["type"] as? String == "snapshot")
            #expect((110...130).contains(rate ?? 0))
            await socket.close()
        }
    }

    @Test func `A revoked share ends for those who watch its recording too`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann") { $0.name = "old" }
            try await running.sendHeartRates([140, 141], token: token, session: Self.session)
            let path = "/v1/shares/\(share)/live"
            let live = try await running.socket(path)
            let recorded = try await running.socket(path + "?at=0")
            var first = live.events.makeAsyncIterator()
            var second = recorded.events.makeAsyncIterator()
            _ = (try await first.next(), try await second.next())
            let known = try #require(
                running.daemon.accounts.shares.first { $0.name == "old" })
            try running.daemon.administration.revokeShare(known)
            await #expect(throws: ClientError.closed(code: 4010)) {
                while try await first.next() != nil {}
            }
            await #expect(throws: ClientError.closed(code: 4010)) {
                while try await second.next() != nil {}
            }
        }
    }

    // MARK: Access

    @Test func `A share that is full refuses the next viewer before the upgrade`() async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let share = try running.addShare(of: "ann") { $0.maxViewers = 1 }
            let socket = try await running.socket("/v1/shares/\(share)/live")
            var events = socket.events.makeAsyncIterator()
            _ = try await events.next()
            await #expect(throws: ClientError.upgradeRefused(status: 429)) {
                _ = try await running.socket("/v1/shares/\(share)/live")
            }
            let answer = try await running.ask(.get, "/v1/shares/\(share)/events")
            #expect(answer.status == 429)
            #expect(answer.fields["retry-after"] != nil)
            await socket.close()
        }
    }

    @Test func `A spoken code is exchanged by a form as well`() async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let share = try running.addShare(of: "ann") { $0.name = "aloud" }
            let code = try await running.admin(.post, "/shares/aloud/code").object["code"]
            let text = try #require(code as? String).lowercased()
            let form: HTTPFields = ["Content-Type": "application/x-www-form-urlencoded"]
            let answer = try await running.ask(.post, "/c", fields: form, body: "code=\(text)")
            #expect(answer.status == 303)
            #expect(answer.fields["location"] == "/s/\(share)")
            let again = try await running.ask(.post, "/c", fields: form, body: "code=\(text)")
            #expect(again.status == 404)
        }
    }

    @Test func `A proof holds for a session written in capitals`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let session = "\(Self.session)".uppercased()
            let sentAt = "\(WallClock.now().secondsSince1970)"
            let digest = try #require(DeviceToken(token)).proofKey
            let proof = digest.proof(session: session, sentAt: sentAt)
            let client = try await DeviceClient.connect(
                to: try running.address(.tcp), format: .text)
            let hello =
                #"{"type":"hello","device":"ann","proof":"\#(proof)","#
                + #""session":"\#(session)","sentAt":\#(sentAt)}"#
            try await client.send(text: Array(hello.utf8))
            var answers = client.answers.makeAsyncIterator()
            guard case .welcome = try await answers.next() else {
                Issue.record("no welcome")
                return
            }
            await client.close()
        }
    }

    // MARK: Answers

    @Test func `What is not set is null, and the key is there`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            _ = try running.addShare(of: "ann")
            try await running.sendHeartRates([140], token: token, session: Self.session)
            let share = try #require(try await running.admin(.get, "/shares").list.first)
            for key in ["expiresAt", "maxViewers", "label"] { #expect(share[key] is NSNull) }
            let session = try #require(try await running.admin(.get, "/sessions").list.first)
            for key in ["endedAt", "distanceMeters"] { #expect(session[key] is NSNull) }
            #expect(session["maxHeartRate"] as? Double == 140)
            let device = try #require(try await running.admin(.get, "/devices").list.first)
            #expect(device["lastSeen"] is Double)
        }
    }

    @Test func `A time zone that is none is refused`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let body = #"{"timeZone":"Mars/Base"}"#
            let refused = try await running.ask(.put, "/v1/me/profile", token: token, body: body)
            #expect(refused.status == 400)
            let taken = try await running.ask(
                .put, "/v1/me/profile", token: token, body: #"{"timeZone":"Europe/Berlin"}"#)
            #expect(taken.object["timeZone"] as? String == "Europe/Berlin")
        }
    }
}
