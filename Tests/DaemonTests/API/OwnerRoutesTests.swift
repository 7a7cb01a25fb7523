import Client
import Foundation
import PushFormats
import Registry
import Runtime
import SensorModel
import Testing
import Transport
import WireFormat

@testable import Daemon

@Suite(.serialized) struct OwnerRoutesTests {
    private static let gpx = """
        <?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
        <wpt lat="48.105" lon="11.5"><name>Bridge</name></wpt>
        <trk><name>River</name><trkseg><trkpt lat="48.1" lon="11.5"/>
        <trkpt lat="48.11" lon="11.5"/></trkseg></trk></gpx>
        """

    @Test func `Only the device's own token opens the owner's side, and guesses are limited`()
        async throws
    {
        try await RunningDaemon.run({ $0.bounds.failuresPerMinuteMax = 3 }) { running in
            let token = try running.addDevice("ann")
            let wrong = String(repeating: "A", count: token.count)
            let paths = ["", "/sessions", "/shares", "/profile", "/zones", "/course"]
            for path in paths {
                #expect(try await running.ask(.get, "/v1/me" + path).status == 401)
            }
            for _ in 0..<3 {
                #expect(try await running.ask(.get, "/v1/me", token: wrong).status == 401)
            }
            let limited = try await running.ask(.get, "/v1/me", token: wrong)
            #expect(limited.status == 429)
            #expect(limited.fields["retry-after"] != nil)
            let mine = try await running.ask(.get, "/v1/me", token: token)
            #expect(mine.status == 200)
            #expect(mine.object["device"] as? String == "ann")
            #expect(mine.fields["cache-control"] == "no-store")
            _ = try running.daemon.administration.revokeDevice(named: "ann")
            #expect(try await running.ask(.get, "/v1/me", token: token).status == 429)
        }
    }

    @Test func `A device lists, exports and deletes its own sessions, and no other's`()
        async throws
    {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            let bob = try running.addDevice("bob")
            let session = SessionID(high: 0x4000, low: 0x8000_0000_0000_0000)
            try await running.sendHeartRates([120, 121, 122], token: ann, session: session)
            let list = try await running.ask(.get, "/v1/me/sessions", token: ann)
            #expect(list.list.map { $0["id"] as? String } == ["\(session)"])
            #expect(try await running.ask(.get, "/v1/me/sessions", token: bob).list.isEmpty)

            let path = "/v1/me/sessions/\(session)"
            let shown = try await running.ask(.get, path, token: ann)
            #expect(shown.status == 200)
            #expect(shown.object["frames"] as? Int == 3)
            let export = try await running.ask(.get, path + "/export?format=csv", token: ann)
            #expect(export.status == 200)
            #expect(export.text.contains("heart"))
            let report = try await running.ask(.get, path + "/report", token: ann)
            #expect(report.status == 200)
            #expect(report.text.contains("<h1>ann</h1>"))
            #expect(report.text.contains(#""bpm":[120,121,122]"#))
            for target in [path, path + "/report", path + "/export?format=csv"] {
                #expect(try await running.ask(.get, target, token: bob).status == 404)
            }
            #expect(try await running.ask(.delete, path, token: bob).status == 404)
            #expect(
                try await running.ask(.get, path + "/export?format=doc", token: ann).status == 400)
            #expect(
                try await running.ask(.get, "/v1/me/sessions/none", token: ann).status == 400)

            let erased = try await running.ask(.delete, path, token: ann)
            #expect(erased.status == 200)
            #expect(erased.object["sessionsErased"] as? Int == 1)
            #expect(try await running.ask(.get, path, token: ann).status == 404)
        }
    }

    @Test func `An owner makes, lists and takes back links`() async throws {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            let bob = try running.addDevice("bob")
            let made = try await running.ask(
                .post, "/v1/me/shares", token: ann,
                body: #"{"scope":["heartRate"],"expires":"24h","label":"Ann runs"}"#)
            #expect(made.status == 201)
            let name = try #require(made.object["name"] as? String)
            let id = try #require(made.object["id"] as? String)
            #expect((made.object["url"] as? String)?.hasSuffix("/s/\(id)") == true)
            #expect(try await running.ask(.get, "/v1/shares/\(id)/latest").status == 200)

            let list = try await running.ask(.get, "/v1/me/shares", token: ann).list
            #expect(list.count == 1)
            #expect(list[0]["scope"] as? [String] == ["heartRate"])
            #expect((list[0]["url"] as? String)?.hasSuffix(id) == true)
            #expect(try await running.ask(.get, "/v1/me/shares", token: bob).list.isEmpty)

            #expect(
                try await running.ask(.delete, "/v1/me/shares/\(name)", token: bob).status == 404)
            #expect(
                try await running.ask(.delete, "/v1/me/shares/\(name)", token: ann).status == 204)
            #expect(try await running.ask(.get, "/v1/shares/\(id)/latest").status == 404)
            let after = try await running.ask(.get, "/v1/me/shares", token: ann).list
            #expect(after[0]["revoked"] as? Bool == true)
            #expect(after[0]["url"] == nil)
            let foreign = try await running.ask(
                .post, "/v1/me/shares", token: ann, body: #"{"device":"bob"}"#)
            #expect(foreign.status == 400)
        }
    }

    @Test func `An owner is told what each phone application needs`() async throws {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            let path = "/v1/me/setups?url=https://run.example/"
            let apps = try await running.ask(.get, path, token: ann).list
            #expect(apps.count == PhoneApplication.allCases.count)
            #expect(apps.first?["link"] as? String == "https://run.example/record#\(ann)")
            for app in apps {
                let link = try #require(app["link"] as? String)
                // A deep link contains the percent-encoded address.
                let isDeep = try #require(app["isDeepLink"] as? Bool)
                #expect(isDeep || link.hasPrefix("https://run.example/"), "\(link)")
                #expect((app["steps"] as? [String])?.isEmpty == false)
            }
            let wrong = try await running.ask(.get, "/v1/me/setups?url=run", token: ann)
            #expect(wrong.status == 400)
        }
    }

    @Test func `Cheers are kept for the runner they were meant for`() async throws {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            let bob = try running.addDevice("bob")
            let share = try running.addShare(of: "ann")
            for text in ["go", "nearly there"] {
                let sent = try await running.ask(
                    .post, "/v1/shares/\(share)/cheer", body: "{\"text\":\"\(text)\"}")
                #expect(sent.status == 204)
            }
            let kept = try await running.ask(.get, "/v1/me/cheers", token: ann).list
            #expect(kept.map { $0["text"] as? String } == ["nearly there", "go"])
            #expect(kept.allSatisfy { ($0["time"] as? Double ?? 0) > 1_700_000_000 })
            #expect(try await running.ask(.get, "/v1/me/cheers", token: bob).list.isEmpty)
        }
    }

    @Test func `A share tells the days of the sessions it may show`() async throws {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            try await running.sendHeartRates(
                [120, 121], token: ann,
                session: SessionID(high: 0x4000, low: 0x8000_0000_0000_0000))
            let share = try running.addShare(of: "ann")
            let answer = try await running.ask(.get, "/v1/shares/\(share)/week")
            let runners = answer.object["runners"] as? [[String: Any]]
            let week = try #require(runners?.first?["week"] as? [String: Any])
            #expect((week["days"] as? [Bool])?.count == 7)
            #expect(runners?.first?["runner"] == nil)
        }
    }

    @Test func `A profile changes only where the request says so`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let put = try await running.ask(
                .put, "/v1/me/profile", token: token,
                body: #"{"maxHeartRate":185,"targetZone":3}"#)
            #expect(put.status == 200)
            let next = try await running.ask(
                .put, "/v1/me/profile", token: token, body: #"{"targetZone":0}"#)
            #expect(next.status == 200)
            let shown = try await running.ask(.get, "/v1/me/profile", token: token).object
            #expect(shown["maxHeartRate"] as? Int == 185)
            #expect(shown["targetZone"] == nil)
            let bad = try await running.ask(
                .put, "/v1/me/profile", token: token, body: #"{"maxHeartRate":400}"#)
            #expect(bad.status == 400)
        }
    }

    @Test func `Who hides something learns that it is hidden from links without positions, too`()
        async throws
    {
        try await RunningDaemon.run { running in
            let ann = try running.addDevice("ann")
            func make(_ scope: String) async throws -> String? {
                let made = try await running.ask(
                    .post, "/v1/me/shares", token: ann, body: #"{"scope":["\#(scope)"]}"#)
                return made.object["warning"] as? String
            }
            #expect(try await make("location") == nil)
            #expect(try await make("metrics") == nil)
            _ = try await running.ask(
                .put, "/v1/me/zones", token: ann, body: #"{"trimStartMeters":100}"#)
            let warning = try #require(try await make("heartRate"))
            #expect(warning.contains("subtract"))
            #expect(try await make("location") != nil)
        }
    }

    @Test func `Zones are replaced all at once, and their offsets are never told`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            func put(_ body: String) async throws -> HTTPClient.Answer {
                try await running.ask(.put, "/v1/me/zones", token: token, body: body)
            }
            func zones() throws -> [PrivacyZone] {
                try running.daemon.administration.known("ann").privacy.zones
            }
            let home = #"{"name":"home","latitude":48.1,"longitude":11.5,"radiusMeters":200}"#
            let first = try await put(#"{"zones":[\#(home)],"trimStartMeters":100}"#)
            #expect(first.status == 200)
            #expect(!first.text.contains("ffset"))
            let before = try zones()
            #expect(before.map(\.radiusMeters) == [200])
            let work = home.replacingOccurrences(of: "home", with: "work")
            #expect(try await put(#"{"zones":[\#(work)]}"#).status == 200)
            #expect(try zones().map(\.name) == ["work"])
            let shown = try await running.ask(.get, "/v1/me/zones", token: token).object
            #expect(shown["trimStartMeters"] as? Double == 100)
            #expect(try await put(#"{"zones":[]}"#).status == 200)
            #expect(try zones().isEmpty)
        }
    }

    @Test(arguments: [
        #"{"zones":[{"name":"a","latitude":91,"longitude":0,"radiusMeters":100}]}"#,
        #"{"zones":[{"name":"a","latitude":0,"longitude":0,"radiusMeters":10}]}"#,
        #"{"zones":[{"name":"","latitude":0,"longitude":0,"radiusMeters":100}]}"#,
        #"{"zones":[{"name":"a","latitude":0,"longitude":0}]}"#,
        #"{"trimStartMeters":-1}"#, #"{"trimFinishMeters":5000}"#, "[]", "{",
    ])
    func `What cannot be a zone is refused with a reason`(body: String) async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let answer = try await running.ask(.put, "/v1/me/zones", token: token, body: body)
            #expect(answer.status == 400)
            #expect(answer.object["reason"] is String)
            #expect(try running.daemon.administration.known("ann").privacy.hidesNothing)
        }
    }

    @Test func `A course comes back as it was sent, over a restart too`() async throws {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var token = ""
        try await RunningDaemon.again(in: folder) { running in
            token = try running.addDevice("ann")
            #expect(try await running.ask(.get, "/v1/me/course", token: token).status == 404)
            let put = try await running.ask(
                .put, "/v1/me/course", token: token, body: Self.gpx)
            #expect(put.status == 200)
            #expect(put.object["name"] as? String == "River")
            #expect(put.object["checkpoints"] as? [String] == ["Bridge"])
            let bad = try await running.ask(.put, "/v1/me/course", token: token, body: "<gpx>")
            #expect(bad.status == 400)
        }
        let known = token
        try await RunningDaemon.again(in: folder) { running in
            let course = try await running.ask(.get, "/v1/me/course", token: known)
            #expect(course.text == Self.gpx)
            #expect(course.fields["content-type"] == "application/gpx+xml")
            #expect(try await running.ask(.delete, "/v1/me/course", token: known).status == 204)
            #expect(try await running.ask(.get, "/v1/me/course", token: known).status == 404)
        }
    }

    @Test func `A command reaches an open connection, and is refused when unknown`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let client = try await DeviceClient.connect(
                to: try running.address(.tcp), format: .text)
            try await client.send(
                Hello(token: token, session: SessionID(high: 0x4001, low: 1 << 63)))
            var answers = client.answers.makeAsyncIterator()
            _ = try await answers.next()
            let sent = try await running.ask(
                .post, "/v1/me/commands", token: token, body: #"{"command":"lap"}"#)
            #expect(sent.status == 202)
            #expect(sent.object["sent"] as? Bool == true)
            #expect(try await answers.next() == .other(#"{"command":"lap"}"#))
            await client.close()
            let bad = try await running.ask(
                .post, "/v1/me/commands", token: token, body: #"{"command":"fly"}"#)
            #expect(bad.status == 400)
        }
    }

    @Test func `Commands manage zones and courses of a named device`() async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let zone = #"{"name":"home","latitude":48.1,"longitude":11.5,"radiusMeters":200}"#
            #expect(try await running.admin(.post, "/devices/ann/zones", zone).status == 201)
            let work = zone.replacingOccurrences(of: "home", with: "work")
                .replacingOccurrences(of: "48.1", with: "48.3")
            #expect(try await running.admin(.post, "/devices/ann/zones", work).status == 201)
            let zones = try await running.admin(.get, "/devices/ann/zones").object["zones"]
            #expect((zones as? [[String: Any]])?.count == 2)
            #expect(try await running.admin(.delete, "/devices/ann/zones/Home").status == 200)
            #expect(try await running.admin(.delete, "/devices/ann/zones/home").status == 404)
            #expect(try await running.admin(.get, "/devices/bob/zones").status == 404)
            #expect(
                try await running.admin(.put, "/devices/ann/course", Self.gpx).status == 200)
        }
    }

    @Test(arguments: [
        ("PUT", "/v1/me/profile", #"{"maxHeartRate":188,"weight":70}"#, "weight", "weightKg"),
        ("POST", "/v1/me/shares", #"{"scopes":"heartRate"}"#, "scopes", "scope"),
        ("PUT", "/v1/me/zones", #"{"trimStart":200}"#, "trimStart", "trimStartMeters"),
    ])
    func `A field that is none is named, and nothing is changed`(
        method: String, path: String, body: String, field: String, meant: String
    ) async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let before = try await running.ask(.get, path, token: token).text
            let answer = try await running.ask(
                HTTPRequest.Method(rawValue: method) ?? .get, path, token: token, body: body)
            #expect(answer.status == 400 && answer.object["code"] as? Int == 400)
            let reason = try #require(answer.object["reason"] as? String)
            #expect(reason.contains("no field \(field):") && reason.contains(meant), "\(reason)")
            #expect(try await running.ask(.get, path, token: token).text == before)
        }
    }

    @Test func `What is answered can be sent back as it is`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            for path in ["/v1/me/profile", "/v1/me/zones"] {
                let shown = try await running.ask(.get, path, token: token)
                let put = try await running.ask(.put, path, token: token, body: shown.text)
                #expect(put.status == 200, "\(path): \(put.text)")
            }
        }
    }

    @Test(arguments: [
        #"{"expires":"0s"}"#, #"{"maxViewers":0}"#, #"{"maxViewers":-1}"#, #"{"delay":"2d"}"#,
        #"{"name":"-x"}"#,
    ])
    func `A share with a value that cannot be is refused as wrong, not as in the way`(
        body: String
    ) async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let answer = try await running.ask(.post, "/v1/me/shares", token: token, body: body)
            #expect(answer.status == 400, "\(answer.text)")
            let right = #"{"name":"mine","expires":"1s","maxViewers":1,"delay":"1h"}"#
            #expect(
                try await running.ask(.post, "/v1/me/shares", token: token, body: right).status
                    == 201)
            let taken = try await running.ask(.post, "/v1/me/shares", token: token, body: right)
            #expect(taken.status == 409)
        }
    }

    @Test func `A share that is over gets no new link and no code, a revoked device a new token`()
        async throws
    {
        try await RunningDaemon.run { running in
            let old = try running.addDevice("ann")
            _ = try running.addShare(of: "ann") { $0.name = "gone" }
            #expect(try await running.admin(.post, "/shares/gone/revoke").status == 204)
            for path in ["rotate", "code"] {
                let answer = try await running.admin(.post, "/shares/gone/" + path)
                #expect(answer.status == 409, "\(path)")
                let reason = answer.object["reason"] as? String ?? ""
                #expect(reason.contains("gone") && reason.contains("share create"), "\(reason)")
            }
            #expect(try await running.admin(.post, "/devices/ann/revoke").status == 204)
            #expect(try await running.ask(.get, "/v1/me", token: old).status == 401)
            let token = try #require(
                try await running.admin(.post, "/devices/ann/rotate").object["token"] as? String)
            #expect(try await running.ask(.get, "/v1/me", token: token).status == 200)
        }
    }
}
