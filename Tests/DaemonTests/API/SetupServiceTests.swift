import Client
import SensorModel
import Testing

@testable import Daemon
import Transport

@Suite(.serialized) struct SetupDeskTests {
    private static func answer(
        _ running: RunningDaemon, _ device: String, _ body: String
    ) async throws -> HTTPClient.Answer {
        try await running.admin(.post, "/devices/\(device)/setup", body)
    }

    @Test func `A link sets a phone up, and what it sends is taken`() async throws {
        try await RunningDaemon.run { running in
            let made = try await Self.answer(running, "phone", #"{"app":"Overland"}"#)
            #expect(made.status == 200, "\(made.text)")
            let link = try #require(made.object["link"] as? String)
            let token = try #require(made.object["token"] as? String)
            #expect(link.hasPrefix("overland://setup?url=http%3A%2F%2F127.0.0.1"))
            #expect(link.hasSuffix("&token=\(token)&device_id=phone"))
            let pushed = try await running.ask(
                .post, "/in/overland", token: token, body: #"{"locations":[]}"#)
            #expect(pushed.text == #"{"result":"ok"}"#)
        }
    }

    @Test func `A device in use keeps its token unless a new one is asked for`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("watch")
            let session = SessionID(high: 0x4009, low: 1 << 63)
            try await running.sendHeartRates([120], token: token, session: session)
            let plain = try await Self.answer(running, "watch", #"{"app":"owntracks"}"#)
            #expect(plain.status == 409)
            #expect(plain.text.contains("--rotate"))
            let wrong = try await Self.answer(
                running, "watch", #"{"app":"owntracks","token":"no"}"#)
            #expect(wrong.status == 400)
            let given = try await Self.answer(
                running, "watch", #"{"app":"sensor-logger","token":"\#(token)"}"#)
            #expect((given.object["link"] as? String)?.hasSuffix("/\(token)") == true)
            #expect(try await running.ask(.get, "/v1/me", token: token).status == 200)
            let fresh = try await Self.answer(
                running, "watch", #"{"app":"owntracks","rotate":true,"url":"https://a.example/"}"#)
            let made = try #require(fresh.object["token"] as? String)
            #expect(made != token)
            #expect(try await running.ask(.get, "/v1/me", token: token).status == 401)
            #expect(try await running.ask(.get, "/v1/me", token: made).status == 200)
        }
    }

    @Test func `An application or an address that is none is refused`() async throws {
        try await RunningDaemon.run { running in
            for body in [#"{"app":"strava"}"#, "{}", #"{"app":"overland","url":"ftp://x"}"#] {
                let answer = try await Self.answer(running, "phone", body)
                #expect(answer.status == 400)
            }
        }
    }
}
