import Client
import Foundation
import SensorModel
import Sharing
import Testing
import Transport
import WireFormat

@testable import Runtime

@Suite(.serialized) struct PublicStreamTests {
    private static let session = SessionID(high: 0x4011, low: 1 << 63)
    private static let paths = ["latest.json", "heartRate.json"]

    private static func open(
        _ running: RunningDaemon, _ share: String, _ path: String
    ) async throws -> AsyncThrowingStream<HTTPClient.Part, any Error>.AsyncIterator {
        try await HTTPClient(try running.address(.http)).stream(
            .get, "/publicStreams/\(share)/\(path)", fields: ["Accept": "text/event-stream"]
        ).makeAsyncIterator()
    }

    private static func watching(_ running: RunningDaemon, _ name: String) async throws -> Int? {
        try await running.admin(.get, "/shares/\(name)").object["viewers"] as? Int
    }

    @Test(arguments: paths)
    func `A stream's reader is counted and limited as a viewer is`(path: String) async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let share = try running.addShare(of: "ann") { $0.maxViewers = 1 }
            var first: AsyncThrowingStream<HTTPClient.Part, any Error>.AsyncIterator? =
                try await Self.open(running, share, path)
            let head = try await first?.next()
            guard case .head(200, _) = head else {
                Issue.record("no stream: \(String(describing: head))")
                return
            }
            #expect(
                try await running.eventually { try await Self.watching(running, "ann") == 1 })
            let full = try await running.ask(
                .get, "/publicStreams/\(share)/\(path)", fields: ["Accept": "text/event-stream"])
            #expect(full.status == 429 && full.fields["retry-after"] != nil)
            // A client of a single request does not count as a viewer.
            #expect(try await running.ask(.get, "/publicStreams/\(share)/\(path)").status == 200)
            await #expect(throws: ClientError.upgradeRefused(status: 429)) {
                _ = try await running.socket("/v1/shares/\(share)/live")
            }
            first = nil
            #expect(
                try await running.eventually { try await Self.watching(running, "ann") == 0 })
            let ever = try await running.admin(.get, "/shares/ann").object["viewersEver"]
            #expect(ever as? Int == 1)
        }
    }

    @Test
    func `A stream of heart rates has all at first and at each change, and no more than asked`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let now = WallClock.now().secondsSince1970.rounded(.down)
            let client = try await DeviceClient.connect(
                to: try running.address(.tcp), format: .text)
            try await client.send(Hello(token: token, session: Self.session))
            func send(_ numbers: ClosedRange<Int>) async throws {
                for number in numbers {
                    let line =
                        #"{"type":"heartRate","heartRate":\#(100 + number),"#
                        + #""timestamp":\#(now - 20 + Double(number)),"seq":\#(number)}"#
                    try await client.send(text: Array(line.utf8))
                }
            }
            try await send(1...5)
            let isThere = try await running.eventually {
                try await running.ask(.get, "/publicStreams/\(share)/heartRate.json")
                    .text.contains("\"bpm\":104")
            }
            #expect(isThere)
            var reader = StreamReader(
                parts: try await Self.open(running, share, "heartRate.json?limitToLast=4"))
            try await reader.read(until: "\n\n")
            #expect(reader.text.hasPrefix("event: put\ndata: {\"path\":\"/\",\"data\":{\""))
            #expect(reader.text.contains("\"bpm\":104"))
            reader.text = ""
            try await send(6...8)
            try await reader.read(until: "\"bpm\":107")
            try await reader.read(until: "\n\n")
            let last = try #require(reader.text.split(separator: "\n\n").last)
            let lines = last.split(separator: "\n")
            #expect(lines.first == "event: put")
            let put = try JSONDecoder().decode(
                Put.self, from: Data(try #require(lines.last).utf8.dropFirst("data: ".count)))
            #expect(put.path == "/")
            // The answer is complete and has no more than the four requested entries.
            #expect(put.data.count == 4)
            #expect(put.data["\(Int(now - 20) + 7)000"]?.bpm == 107)
            await client.close()
        }
    }

    /// With hidden places, a split's record replaces the record of one second's metrics.
    @Test func `A history of heart rates misses no second, which would tell a kilometer`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let shares = [
                try running.addShare(of: "ann"),
                try running.addShare(of: "ann") { $0.scope = .heartRate },
            ]
            let zones =
                #"{"zones":[{"name":"z","latitude":49,"longitude":12,"radiusMeters":200}]}"#
            #expect(
                try await running.ask(.put, "/v1/me/zones", token: token, body: zones).status < 300)
            try await Self.run(seconds: 600, running, token)
            for share in shares {
                let history = try await running.ask(
                    .get, "/publicStreams/\(share)/heartRate.json")
                let times = history.object.keys.compactMap(Int.init).sorted()
                let holes = zip(times, times.dropFirst()).filter { $1 - $0 > 1000 }
                #expect(times.count > 500 && holes.isEmpty, "\(times.count) \(holes)")
            }
        }
    }

    /// Records a run north at 4 m/s with one heart rate a second.
    private static func run(
        seconds: Int, _ running: RunningDaemon, _ token: String
    ) async throws {
        let client = try await DeviceClient.connect(to: try running.address(.tcp), format: .text)
        try await client.send(Hello(token: token, session: session, recorded: true))
        let start = WallClock.now().secondsSince1970.rounded(.down) - Double(seconds)
        for second in 0..<seconds {
            let time = start + Double(second)
            let latitude = 48 + 4 * Double(second) / 111_195
            for line in [
                #"{"type":"location","latitude":\#(latitude),"longitude":11,"altitude":500,"#
                    + #""horizontalAccuracy":4,"verticalAccuracy":4,"speed":4,"course":0,"#
                    + #""timestamp":\#(time),"seq":\#(2 * second + 1)}"#,
                #"{"type":"heartRate","heartRate":\#(100 + second % 50),"#
                    + #""timestamp":\#(time + 0.1),"seq":\#(2 * second + 2)}"#,
            ] { try await client.send(text: Array(line.utf8)) }
        }
        for try await answer in client.answers {
            if case .ack(let sequence) = answer, sequence.rawValue >= 2 * seconds { break }
        }
        await client.close()
    }

    /// Each change sends the complete history to each reader.
    @Test func `Eight read a link's history as a stream, and the ninth is told to come back`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            try await running.sendHeartRates([120, 121], token: token, session: Self.session)
            var readers: [StreamReader] = []
            for _ in 0..<8 {
                var reader = StreamReader(
                    parts: try await Self.open(running, share, "heartRate.json"))
                try await reader.read(until: "\n\n")
                readers.append(reader)
            }
            let answer = try await HTTPClient(try running.address(.http)).send(
                .get, "/publicStreams/\(share)/heartRate.json",
                fields: ["Accept": "text/event-stream"])
            #expect(answer.status == 429)
            let other = try await Self.open(running, share, "latest.json")
            var latest = StreamReader(parts: other)
            try await latest.read(until: "\n\n")
            #expect(readers.allSatisfy { $0.text.contains("\"bpm\":121") })
        }
    }

    @Test(arguments: ["limitToLast=x", "limitToLast=0", "limitToLast=", "startAt=x", "startAt="])
    func `A parameter that is no number is refused, and named`(query: String) async throws {
        try await RunningDaemon.run { running in
            _ = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let path = "/publicStreams/\(share)/heartRate.json?"
            let answer = try await running.ask(.get, path + query)
            #expect(answer.status == 400)
            #expect(answer.object["code"] as? Int == 400)
            let reason = try #require(answer.object["reason"] as? String)
            #expect(reason.hasPrefix(query.prefix { $0 != "=" }))
            let right = "limitToLast=5&startAt=%221763700000000%22&orderBy=%22$key%22"
            #expect(try await running.ask(.get, path + right).status == 200)
        }
    }
}

private struct Put: Decodable {
    struct Sample: Decodable {
        let bpm: Int
    }

    let path: String
    let data: [String: Sample]
}

/// Collects the bytes received from a stream.
private struct StreamReader {
    var parts: AsyncThrowingStream<HTTPClient.Part, any Error>.AsyncIterator
    var text = ""

    mutating func read(until wanted: String) async throws {
        while !text.contains(wanted), let part = try await parts.next(isolation: #isolation) {
            if case .bytes(let bytes) = part { text += String(decoding: bytes, as: UTF8.self) }
        }
    }
}
