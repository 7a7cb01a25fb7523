import Client
import Foundation
import SensorModel
import Sessions
import Synchronization
import Testing
import Transport

@testable import Daemon
@testable import Runtime

@Suite(.serialized) struct PushRoutesTests {
    private struct Example: Sendable, CustomTestStringConvertible {
        var format: String
        var method: HTTPRequest.Method = .post
        var query = ""
        var type: String? = "application/json"
        /// Placeholders: `NOW` in seconds, `NOWISO` in ISO 8601.
        var body = ""
        var reply: String
        var testDescription: String { format + query }
    }

    private static let examples = [
        Example(
            format: "sensorlogger",
            body: #"""
                {"messageId":0,"sessionId":"a","deviceId":"d","payload":[{"name":"heart rate","time":NOW000000000,"values":{"bpm":151}}]}
                """#, reply: ""),
        Example(
            format: "owntracks",
            body: #"{"_type":"location","lat":48.85,"lon":2.29,"tst":NOW,"acc":5}"#, reply: "[]"),
        Example(
            format: "overland",
            body: #"""
                {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[2.29,48.85]},"properties":{"timestamp":"NOWISO","horizontal_accuracy":5}}]}
                """#, reply: #"{"result":"ok"}"#),
        Example(
            format: "osmand", method: .get, query: "?lat=48.85&lon=2.29&timestamp=NOW&hr=140",
            type: nil, reply: ""),
        Example(
            format: "osmand", type: "application/x-www-form-urlencoded",
            body: "id=1&lat=48.85&lon=2.29&timestamp=NOW", reply: ""),
        Example(
            format: "gpslogger", method: .get, query: "?lat=48.85&lon=2.29&timestamp=NOW",
            type: nil, reply: "OK"),
        Example(format: "hr", method: .get, query: "?bpm=72", type: nil, reply: "OK"),
        Example(
            format: "hr", type: "application/x-www-form-urlencoded", body: "rate=72",
            reply: "OK"),
        Example(
            format: "hrpush",
            body: #"{"event":"heartRate","heartRate":85,"connected":true,"device":"Polar H10"}"#,
            reply: "{}"),
        Example(
            format: "runnerup",
            body: #"{"userName":"a","lat":48.85,"long":2.29,"altitude":30,"runningEventType":1}"#,
            reply: ""),
        Example(
            format: "hds", method: .put, type: "application/json",
            body: #"{"data":"heartRate:85"}"#, reply: "{}"),
        Example(format: "hds", type: "text/plain", body: "heartRate:85", reply: "{}"),
    ]

    private static func filled(_ text: String) -> String {
        let now = WallClock.now()
        let iso = Date(timeIntervalSince1970: now.secondsSince1970).ISO8601Format()
        return text.replacingOccurrences(of: "NOWISO", with: iso)
            .replacingOccurrences(of: "NOW", with: "\(now.microseconds / 1_000_000)")
    }

    @Test func `Each format is taken with its token anywhere, and answered to the byte`()
        async throws
    {
        try await RunningDaemon.run { running in
            for (index, example) in Self.examples.enumerated() {
                let token = try running.addDevice("device-\(index)")
                let basic = Data("user:\(token)".utf8).base64EncodedString()
                let ways: [(path: String, authorization: String?)] = [
                    ("/\(token)", nil), ("", "Bearer \(token)"), ("", token),
                    ("", "Basic \(basic)"),
                ]
                for way in ways {
                    var fields = HTTPFields()
                    if let type = example.type { fields["Content-Type"] = type }
                    if let value = way.authorization { fields["Authorization"] = value }
                    let answer = try await running.ask(
                        example.method,
                        "/in/\(example.format)\(way.path)\(Self.filled(example.query))",
                        fields: fields, body: Self.filled(example.body))
                    #expect(answer.status == 200, "\(example.format): \(answer.text)")
                    #expect(answer.text == example.reply)
                }
                let rows = try await running.ask(.get, "/v1/me/sessions", token: token).list
                #expect(rows.count == 1, "\(example.format): one recording, one session")
                #expect(rows.first?["frames"] as? Int ?? 0 >= 1)
            }
        }
    }

    @Test func `A wrong token is refused as each application understands it`() async throws {
        try await RunningDaemon.run { running in
            let wrong = String(repeating: "A", count: 43)
            let formats = Set(Self.examples.map(\.format)).subtracting(["sensorlogger"])
            for format in formats {
                let answer = try await running.ask(.post, "/in/\(format)/\(wrong)", body: "{}")
                #expect(answer.status == 401)
                #expect(try await running.ask(.post, "/in/\(format)", body: "{}").status == 401)
            }
            let told = try await running.ask(.post, "/in/sensorlogger/\(wrong)", body: "{}")
            #expect(told.status == 499)
            #expect(told.text.contains("token"))
            #expect(try await running.ask(.get, "/in/overland/\(wrong)").status == 405)
            #expect(try await running.ask(.post, "/in/other/\(wrong)").status == 404)
        }
    }

    @Test func `A recording has one session, by its own name where it has one`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("phone")
            func push(_ recording: String) async throws {
                let body = #"""
                    {"sessionId":"\#(recording)","payload":[{"name":"heartrate","time":NOW000000000,"values":{"bpm":\#(Int.random(in: 60...180))}}]}
                    """#
                let answer = try await running.ask(
                    .post, "/in/sensorlogger/\(token)", body: Self.filled(body))
                #expect(answer.status == 200)
            }
            for recording in ["one", "one", "two", "one"] { try await push(recording) }
            let rows = try await running.ask(.get, "/v1/me/sessions", token: token).list
            #expect(rows.count == 2)
        }
    }

    @Test func `A recording without a name goes on after a restart, and ends with its own end`()
        async throws
    {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var made = ""
        func run(_ event: Int) -> String {
            #"{"lat":48.85,"long":2.29,"altitude":30,"runningEventType":\#(event)}"#
        }
        try await RunningDaemon.again(in: folder) { running in
            made = try running.addDevice("phone")
            _ = try await running.ask(.post, "/in/runnerup/\(made)", body: run(1))
        }
        let token = made
        try await RunningDaemon.again(in: folder) { running in
            _ = try await running.ask(.post, "/in/runnerup/\(token)", body: run(1))
            let path = "/v1/me/sessions"
            #expect(try await running.ask(.get, path, token: token).list.count == 1)
            _ = try await running.ask(.post, "/in/runnerup/\(token)", body: run(3))
            _ = try await running.ask(.post, "/in/runnerup/\(token)", body: run(0))
            #expect(try await running.ask(.get, path, token: token).list.count == 2)
            _ = try await running.ask(.post, "/in/runnerup/\(token)", body: run(6))
            #expect(try await running.ask(.get, path, token: token).list.count == 1)
            _ = try await running.ask(.post, "/in/runnerup/\(token)", body: run(0))
            #expect(try await running.ask(.get, path, token: token).list.count == 2)
        }
        // A discard without a position has no frames to record.
        try await RunningDaemon.again(in: folder) { running in
            let discard = #"{"runningEventType":6}"#
            _ = try await running.ask(.post, "/in/runnerup/\(token)", body: discard)
            #expect(try await running.ask(.get, "/v1/me/sessions", token: token).list.count == 1)
        }
    }

    @Test func `A batch sent again is recorded once, and a bad point is counted`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("phone")
            let body = Self.filled(
                #"""
                {"locations":[{"geometry":{"coordinates":[2.29,48.85]},"properties":{"timestamp":"NOWISO"}},
                {"geometry":{"coordinates":[2.29,148.85]},"properties":{"timestamp":"NOWISO"}}]}
                """#)
            for _ in 0..<3 {
                let answer = try await running.ask(
                    .post, "/in/overland", token: token, body: body)
                #expect(answer.text == #"{"result":"ok"}"#)
            }
            let rows = try await running.ask(.get, "/v1/me/sessions", token: token).list
            #expect(rows.map { $0["frames"] as? Int } == [1])
            let metrics = try await running.admin(.get, "/metrics").text
            #expect(metrics.contains("pulsecast_frames_refused_total{reason="))
        }
    }

    /// An application may time out and repeat a request before it has an answer.
    @Test
    func `Of a batch that comes twice at once, no answer comes before its points are recorded`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("phone")
            let recorded: @Sendable () -> Int = {
                running.daemon.pipeline.counters.flow.framesRecorded.load(ordering: .relaxed)
            }
            for round in 1...30 {
                let start = WallClock.now().microseconds - 3_000_000
                let points = (0..<200).map { number in
                    #"{"name":"heartrate","time":\#((start + Int64(number) * 10_000) * 1000),"values":{"bpm":100}}"#
                }
                let body =
                    #"{"sessionId":"\#(round)","payload":[\#(points.joined(separator: ","))]}"#
                try await withThrowingTaskGroup { group in
                    for _ in 0..<3 {
                        group.addTask {
                            let answer = try await running.ask(
                                .post, "/in/sensorlogger/\(token)", body: body)
                            #expect(answer.status == 200)
                            #expect(recorded() >= round * 200)
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(recorded() == round * 200)
            }
        }
    }

    @Test func `A deleted session does not swallow what comes after`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("strap")
            _ = try await running.ask(.get, "/in/hr/\(token)?bpm=100")
            let first = try #require(
                try await running.ask(.get, "/v1/me/sessions", token: token).list.first?["id"]
                    as? String)
            let deleted = try await running.ask(
                .delete, "/v1/me/sessions/\(first)", token: token)
            #expect(deleted.status == 200)
            _ = try await running.ask(.get, "/in/hr/\(token)?bpm=101")
            let rows = try await running.ask(.get, "/v1/me/sessions", token: token).list
            #expect(rows.map { $0["frames"] as? Int } == [1])
        }
    }

    @Test func `Silence ends a nameless recording; what comes later is another`() async throws {
        try await RunningDaemon.run({ $0.ingest.silenceSeconds = 1 }) { running in
            let token = try running.addDevice("strap")
            _ = try await running.ask(.get, "/in/hr/\(token)?bpm=100")
            try await Task.sleep(for: .milliseconds(1200))
            _ = try await running.ask(.get, "/in/hr/\(token)?bpm=101")
            let rows = try await running.ask(.get, "/v1/me/sessions", token: token).list
            #expect(rows.count == 2)
        }
    }

    @Test func `Commands wait for an application that asks`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("phone")
            let sent = try await running.ask(
                .post, "/v1/me/commands", token: token, body: #"{"command":"stop"}"#)
            #expect(sent.object["sent"] as? Bool == false)
            let body = Self.filled(
                #"{"_type":"location","lat":48.85,"lon":2.29,"tst":NOW,"acc":5}"#)
            let first = try await running.ask(.post, "/in/owntracks/\(token)", body: body)
            #expect(first.text.contains(#""_type":"cmd""#))
            let second = try await running.ask(.post, "/in/owntracks/\(token)", body: body)
            #expect(second.text == "[]")
        }
    }

    @Test func `Every command reaches the application that can take it, while it pushes`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("phone")
            let tracks = Self.filled(
                #"{"_type":"location","lat":48.85,"lon":2.29,"tst":NOW,"acc":5}"#)
            func osmand() async throws -> String {
                try await running.ask(.get, "/in/osmand/\(token)?lat=48.85&lon=2.29").text
            }
            #expect(try await osmand() == "")
            for command in ["start", "stop", "pause", "resume", "lap"] {
                let sent = try await running.ask(
                    .post, "/v1/me/commands", token: token, body: #"{"command":"\#(command)"}"#)
                #expect(sent.status == 202)
                let answer = try await running.ask(.post, "/in/owntracks/\(token)", body: tracks)
                let monitoring = ["start": 2, "resume": 2, "stop": 1, "pause": 1][command]
                if let monitoring {
                    #expect(answer.text.contains(#""monitoring":\#(monitoring)"#))
                    #expect(try await osmand() == "", "OwnTracks has taken it")
                } else {
                    #expect(answer.text == "[]", "OwnTracks knows no laps: the command waits on")
                    #expect(try await osmand() == command)
                }
            }
        }
    }

    @Test(arguments: [
        ("hrpush", [#"{"event":"heartRate","heartRate":133,"device":"H10"}"#]),
        ("hds", ["clientName:watch", "calories:12", "heartRate:133"]),
    ])
    func `A strap's relay and a watch push over a WebSocket`(format: String, messages: [String])
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("strap")
            let share = try running.addShare(of: "strap")
            let socket = try await running.socket("/in/\(format)/\(token)")
            for message in messages { try await socket.say(message) }
            let isShown = try await running.eventually {
                try await running.ask(.get, "/v1/shares/\(share)/latest").text
                    .contains(#""bpm":133"#)
            }
            #expect(isShown)
            await socket.close()
            let wrong = String(repeating: "A", count: 43)
            await #expect(throws: ClientError.upgradeRefused(status: 401)) {
                _ = try await running.socket("/in/\(format)/\(wrong)")
            }
        }
    }

    @Test func `Mutated bodies are taken or refused, and the good ones still get through`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("phone")
            var generator = Xorshift(state: 8)
            for _ in 0..<40 {
                for example in Self.examples where example.method == .post {
                    var body = Array(Self.filled(example.body).utf8)
                    for _ in 0..<Int.random(in: 1...6, using: &generator) {
                        let index = Int.random(in: body.indices, using: &generator)
                        body[index] = UInt8.random(in: .min ... .max, using: &generator)
                    }
                    if Bool.random(using: &generator) { body.removeLast(body.count / 3) }
                    let fields: HTTPFields = ["Content-Type": example.type ?? "text/plain"]
                    let answer = try await HTTPClient(try running.address(.http)).send(
                        .post, "/in/\(example.format)/\(token)", fields: fields, body: body)
                    #expect([200, 400, 499].contains(answer.status), "\(example.format)")
                }
            }
            let good = try running.addDevice("strap")
            #expect(try await running.ask(.get, "/in/hr/\(good)?bpm=100").text == "OK")
            let rows = try await running.ask(.get, "/v1/me/sessions", token: good).list
            #expect(rows.count == 1)
        }
    }

    @Test func `Frames that are too many are refused whole, and taken later`() async throws {
        try await RunningDaemon.run({ $0.ingest.framesPerSecondMax = 10 }) { running in
            let token = try running.addDevice("ann")
            func points(_ count: Int, from start: Double) -> String {
                let features = (0..<count).map { index in
                    let time = Date(timeIntervalSince1970: start + Double(index) / 50)
                        .ISO8601Format(.init(includingFractionalSeconds: true))
                    return #"{"type":"Feature","geometry":{"type":"Point","coordinates":"#
                        + #"[2.29,48.85]},"properties":{"timestamp":"\#(time)"}}"#
                }
                return #"{"locations":[\#(features.joined(separator: ","))]}"#
            }
            let now = WallClock.now().secondsSince1970
            func push(_ body: String) async throws -> HTTPClient.Answer {
                try await running.ask(
                    .post, "/in/overland/\(token)", fields: ["Content-Type": "application/json"],
                    body: body)
            }
            // More points than two windows of ten seconds allow: the batch may span two windows.
            let fresh = try await push(points(210, from: now - 4.5))
            #expect(fresh.status == 429 && fresh.fields["retry-after"] == "10")
            #expect(try await running.admin(.get, "/sessions").list.isEmpty)
            // A backlog is not limited in rate.
            let old = try await push(points(150, from: now - 3600))
            #expect(old.status == 200)
        }
    }

    @Test func `A WebSocket of which frames are not taken is closed`() async throws {
        try await RunningDaemon.run({ $0.ingest.framesPerSecondMax = 10 }) { running in
            let token = try running.addDevice("strap")
            let socket = try await running.socket("/in/hds/\(token)")
            // More than two windows of ten seconds allow; the last messages find the socket closed.
            for number in 0..<210 { try? await socket.say("heartRate:\(100 + number % 50)") }
            await #expect(throws: ClientError.closed(code: 4029)) {
                for try await _ in socket.events {}
            }
        }
    }
}

/// Seeded: every run tries the same bodies.
private struct Xorshift: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
