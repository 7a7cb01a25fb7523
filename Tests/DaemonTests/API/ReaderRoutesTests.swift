import Client
import SensorModel
import Sharing
import Synchronization
import Testing

@testable import Daemon
@testable import Runtime
import Transport

@Suite(.serialized) struct ReaderRoutesTests {
    private static let latest = "/api/v1/data/heart_rate/latest"
    private static let text = "?response_mode=text_plain_only_heart_rate"
    private static let session = SessionID(high: 0x4002, low: 1 << 63)

    @Test func `Pulsoid's readers get the heart rate as JSON and as plain text`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            #expect(try await running.ask(.get, Self.latest, token: share).status == 412)
            try await running.sendHeartRates([140, 141, 142], token: token, session: Self.session)
            let json = try await running.ask(.get, Self.latest, token: share)
            #expect(json.status == 200)
            #expect((json.object["data"] as? [String: Int])?["heart_rate"] == 142)
            #expect(json.object["measured_at"] is Int)
            #expect(json.fields["access-control-allow-origin"] == "*")
            let plain = try await running.ask(.get, Self.latest + Self.text, token: share)
            #expect(plain.text == "142")
            let valid = try await running.ask(.get, "/api/v1/token/validate", token: share)
            #expect(valid.object["scopes"] as? [String] == ["data:heart_rate:read"])
            #expect(valid.object["expires_in"] as? Int == 31_536_000)
        }
    }

    @Test func `Unknown, revoked and expired tokens are refused with the same bytes`()
        async throws
    {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let revoked = try running.addShare(of: "ann") { $0.name = "old" }
            let expired = try running.addShare(of: "ann") { $0.expiresInSeconds = 0.05 }
            let known = try #require(
                running.daemon.accounts.shares.first { $0.name == "old" })
            try running.daemon.administration.revokeShare(known)
            try await Task.sleep(for: .milliseconds(60))
            let unknown = String(repeating: "A", count: 22)
            for path in [Self.latest, "/api/v1/token/validate"] {
                var answers: Set<String> = []
                for token in [revoked, expired, unknown] {
                    let answer = try await running.ask(.get, path, token: token)
                    #expect(answer.status == 403)
                    let fields = answer.fields.fields.filter { $0.name.lowercased() != "date" }
                    answers.insert("\(fields)\(answer.text)")
                }
                #expect(answers.count == 1)
                #expect(answers.first?.contains("7005") == true)
                #expect(try await running.ask(.get, path).text.contains("7009"))
                let odd = try await running.ask(.get, path, fields: ["Authorization": "x"])
                #expect(odd.text.contains("7010"))
            }
            for token in [revoked, expired, unknown] {
                await #expect(throws: ClientError.upgradeRefused(status: 403)) {
                    _ = try await running.socket("/api/v1/data/real_time?access_token=\(token)")
                }
                await #expect(throws: ClientError.upgradeRefused(status: 404)) {
                    _ = try await running.socket("/ws/\(token)")
                }
            }
        }
    }

    @Test func `A reader that asks too often is told when to come back`() async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            running.daemon.accounts.withState { $0.readers = ReaderLimiter(perSecondMax: 1) }
            let isTold = try await running.eventually {
                let answer = try await running.ask(.get, Self.latest, token: share)
                return answer.status == 429 && answer.fields["retry-after"] == "1"
            }
            #expect(isTold)
        }
    }

    @Test func `Pages of any origin may read a share's events`() async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            for path in ["events", "latest", "history"] {
                let answer = try await running.ask(.head, "/v1/shares/\(share)/\(path)")
                #expect(answer.status == 200)
                #expect(answer.fields["access-control-allow-origin"] == "*", "\(path)")
            }
            let token = try running.addDevice("bob")
            let mine = try await running.ask(.get, "/v1/me", token: token)
            #expect(mine.fields["access-control-allow-origin"] == nil)
        }
    }

    @Test func `Pulsoid's socket follows the runner and ends with the share`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let path = "/api/v1/data/real_time?access_token=\(share)"
            let socket = try await running.socket(path)
            let plain = try await running.socket(
                path + "&response_mode=text_plain_only_heart_rate")
            try await running.sendHeartRates([150], token: token, session: Self.session)
            var events = socket.events.makeAsyncIterator()
            #expect(try await events.next()?.contains(#""heart_rate":150"#) == true)
            var numbers = plain.events.makeAsyncIterator()
            #expect(try await numbers.next() == "150")
            let known = try #require(running.daemon.accounts.shares.first)
            try running.daemon.administration.revokeShare(known)
            await #expect(throws: ClientError.closed(code: 4010)) {
                while try await events.next() != nil {}
            }
        }
    }

    @Test func `Of readings that come fast a program is told the newest at last`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let socket = try await running.socket(
                "/api/v1/data/real_time?access_token=\(share)"
                    + "&response_mode=text_plain_only_heart_rate")
            let rates = (0..<400).map { 60 + $0 % 100 } + [180]
            try await running.sendHeartRates(rates, token: token, session: Self.session)
            var told: [String] = []
            for try await event in socket.events {
                told.append(event)
                if event == "180" { break }
            }
            #expect(told.last == "180")
            await socket.close()
        }
    }

    @Test func `A room has the readings of each runner of a group`() async throws {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            _ = try running.addDevice("bob")
            _ = try running.addShare(of: "ann") { $0.label = "Ann" }
            _ = try running.addShare(of: "bob")
            let members = running.daemon.accounts.shares.map(\.key)
            let group = try running.daemon.administration.createShare(
                ShareRequest(), of: .group(members), stem: "both")
            let room = try await running.socket(
                "/api/v2/data/rooms/r/real_time?access_token=\(group.id.text)&kinds=heart_rate")
            try await running.sendHeartRates([155], token: ann, session: Self.session)
            var events = room.events.makeAsyncIterator()
            let event = try #require(try await events.next())
            #expect(event.contains(#""profile_id":"Ann""#))
            #expect(event.contains(#""bpm":155"#))
            await room.close()
        }
    }

    @Test func `HypeRate's clients join, are told of changes, and of the end`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let socket = try await running.socket("/socket/websocket?token=any")
            var events = socket.events.makeAsyncIterator()
            try await socket.say(
                #"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":0}"#)
            #expect(
                try await events.next()
                    == #"{"topic":"phoenix","event":"phx_reply","payload":{"status":"ok","response":{}},"ref":0}"#
            )
            let unknown = String(repeating: "A", count: 22)
            try await socket.say(
                #"{"topic":"hr:\#(unknown)","event":"phx_join","payload":{},"ref":1}"#)
            #expect(try await events.next()?.contains(#""status":"error""#) == true)
            try await running.sendHeartRates([161], token: token, session: Self.session)
            try await socket.say(
                #"{"topic":"hr:\#(share)","event":"phx_join","payload":{},"ref":"2"}"#)
            var seen: [String] = []
            while seen.count < 2, let event = try await events.next() { seen.append(event) }
            #expect(seen.contains { $0.hasSuffix(#""ref":"2"}"#) })
            if !seen.contains(where: { $0.contains(#""hr":161"#) }) {
                #expect(try await events.next()?.contains(#""hr":161"#) == true)
            }
            let known = try #require(running.daemon.accounts.shares.first)
            try running.daemon.administration.revokeShare(known)
            var last = ""
            while !last.contains(#""hr":null"#), let event = try await events.next() {
                last = event
            }
            #expect(last.contains(#""hr":null"#))
            await socket.close()
            let test = try await running.socket("/socket/websocket")
            try await test.say(
                #"{"topic":"hr:internal-testing","event":"phx_join","payload":{},"ref":1}"#)
            var made = test.events.makeAsyncIterator()
            let first = try await made.next() ?? ""
            let second = try await made.next() ?? ""
            #expect((first + second).contains("hr_update"))
            await test.close()
        }
    }

    @Test func `HypeRate's clients are told nothing before the first value`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let socket = try await running.socket("/socket/websocket?token=any")
            var events = socket.events.makeAsyncIterator()
            try await socket.say(
                #"{"topic":"hr:\#(share)","event":"phx_join","payload":{},"ref":1}"#)
            #expect(try await events.next()?.contains(#""status":"ok""#) == true)
            // A session without a heart rate is none, too.
            try await Task.sleep(for: .milliseconds(300))
            try await socket.say(
                #"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":2}"#)
            #expect(try await events.next()?.contains(#""ref":2"#) == true)
            try await running.sendHeartRates([161], token: token, session: Self.session)
            #expect(try await events.next()?.contains(#""hr":161"#) == true)
            await socket.close()
        }
    }

    @Test func `A reader that talks without end is answered at a pace, and others at once`()
        async throws
    {
        try await RunningDaemon.run { running in
            let join = #"{"topic":"hr:internal-testing","event":"phx_join","payload":{},"ref":1}"#
            let beat = #"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":2}"#
            let loud = try await running.socket("/socket/websocket")
            let answered = Mutex(0)
            async let listening: Void = {
                for try await event in loud.events where event.contains("phx_reply") {
                    answered.withLock { $0 += 1 }
                }
            }()
            try await loud.say(join)
            for _ in 0..<400 { try await loud.say(beat) }
            let quiet = try await running.socket("/socket/websocket")
            try await quiet.say(join)
            var events = quiet.events.makeAsyncIterator()
            #expect(try await events.next() != nil)
            // Reading all 400 would take half a minute.
            #expect(answered.withLock { $0 } < 400)
            await quiet.close()
            await loud.close()
            try? await listening
        }
    }

    @Test(arguments: ["rotated", "revoked"])
    func `Readers through a group's link end with the link`(way: String) async throws {
        try await RunningDaemon.run { running in
            for name in ["ann", "bob"] {
                _ = try running.addDevice(name)
                _ = try running.addShare(of: name)
            }
            let members = running.daemon.accounts.shares.map(\.key)
            let administration = running.daemon.administration
            let group = try administration.createShare(
                ShareRequest(), of: .group(members), stem: "both")
            let room = "/api/v2/data/rooms/r/real_time?access_token=\(group.id.text)"
            let socket = try await running.socket(room)
            if way == "rotated" {
                _ = try administration.rotateShare(group.share)
            } else {
                try administration.revokeShare(group.share)
            }
            await #expect(throws: ClientError.closed(code: 4010)) {
                for try await _ in socket.events {}
            }
        }
    }

    @Test func `A share's readers are counted and limited as its viewers are`() async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let share = try running.addShare(of: "ann") { $0.maxViewers = 1 }
            let path = "/api/v1/data/real_time?access_token=\(share)"
            let first = try await running.socket(path)
            let isCounted = try await running.eventually {
                try await running.admin(.get, "/shares/ann").object["viewers"] as? Int == 1
            }
            #expect(isCounted)
            for full in [path, "/ws/\(share)"] {
                await #expect(throws: ClientError.upgradeRefused(status: 429)) {
                    _ = try await running.socket(full)
                }
            }
            await first.close()
            let isLeft = try await running.eventually {
                try await running.admin(.get, "/shares/ann").object["viewers"] as? Int == 0
            }
            #expect(isLeft)
        }
    }

    @Test func `An old heart rate is not given out as the newest`() async throws {
        try await RunningDaemon.run({ $0.ingest.silenceSeconds = 1 }) { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            try await running.sendHeartRates([140], token: token, session: Self.session)
            let snapshot = try await running.ask(.get, "/v1/shares/\(share)/latest").text
            #expect(snapshot.contains(#""bpm":140"#))
            let isOver = try await running.eventually {
                try await running.ask(.get, Self.latest, token: share).status == 412
            }
            #expect(isOver)
        }
    }

    @Test func `A share without heart rate shows none to any reader`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann") { $0.scope = .location }
            try await running.sendHeartRates([140], token: token, session: Self.session)
            #expect(try await running.ask(.get, Self.latest, token: share).status == 412)
            let later = try running.addShare(of: "ann") { $0.delaySeconds = 60 }
            #expect(try await running.ask(.get, Self.latest, token: later).status == 412)
        }
    }

    @Test func `A snapshot that the reader has already is not sent again`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            try await running.sendHeartRates([140], token: token, session: Self.session)
            let path = "/v1/shares/\(share)/latest"
            let first = try await running.ask(.get, path)
            let tag = try #require(first.fields["etag"])
            #expect(first.fields["access-control-allow-origin"] == "*")
            let again = try await running.ask(.get, path, fields: ["If-None-Match": tag])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)
            let other = try await running.ask(.get, path, fields: ["If-None-Match": "\"x\""])
            #expect(other.status == 200)
            for own in ["/", "/v1/me", "/s/\(share)"] {
                let answer = try await running.ask(.get, own, token: token)
                #expect(answer.fields["access-control-allow-origin"] == nil)
            }
            let asked = try await running.ask(.options, Self.latest)
            #expect(asked.status == 204)
            #expect(asked.fields["access-control-allow-headers"] == "Authorization")
        }
    }
}
