import Client
import Compression
import Foundation
import SensorModel
import Testing
import Transport

@testable import Daemon
@testable import Runtime

/// The form of overviews; what they have is tested against the history in RuntimeTests.
@Suite(.serialized) struct OverviewRouteTests {
    private static func session(_ low: UInt64) -> SessionID {
        SessionID(high: 0x4086, low: low)
    }

    private static func object(_ bytes: [UInt8]) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(bytes))
        return try #require(json as? [String: Any])
    }

    @Test func `An overview is compressed for those who take that, and the same for others`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let path = "/v1/shares/\(share)/overview"
            let empty = try await running.ask(.get, path)
            #expect(try Self.object(empty.body)["cursor"] is NSNull)
            try await running.sendHeartRates(
                Array(100..<160), token: token, session: Self.session(1))
            let plain = try await running.ask(.get, path)
            #expect(plain.fields["content-encoding"] == nil)
            #expect(plain.fields["vary"] == "Accept-Encoding")
            #expect(plain.fields["cache-control"] == "no-store")
            let packed = try await running.ask(.get, path, fields: ["Accept-Encoding": "gzip, br"])
            #expect(packed.fields["content-encoding"] == "gzip")
            #expect(packed.body.count < plain.body.count / 2)
            let expanded = try Gzip.expand(packed.body) { $0 < 1 << 20 }
            let (one, other) = (try Self.object(plain.body), try Self.object(expanded))
            #expect(one["type"] as? String == "overview" && other["type"] as? String == "overview")
            let points = try #require(other["points"] as? [String: [Any]])
            #expect((points["bpm"] as? [Int])?.contains(150) == true)
            // History goes on after its cursor.
            let cursor = try #require(one["cursor"] as? String)
            let rest = try await running.ask(.get, "/v1/shares/\(share)/history?after=\(cursor)")
            #expect(rest.status == 200 && !rest.text.contains("gap"))
        }
    }

    @Test func `An overview has the columns that are asked for, within the scope, and no others`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann") { $0.scope = .heartRate }
            try await running.sendHeartRates(
                Array(100..<160), token: token, session: Self.session(1))
            let rows: [(query: String, columns: Set<String>?, hasEvents: Bool)] = [
                ("", ["seconds", "bpm", "zone", "paused"], true),
                ("?columns=bpm", ["seconds", "bpm"], false),
                ("?columns=paused,events", ["seconds", "paused"], true),
                ("?columns=events", ["seconds"], true),
                ("?columns=latitude,bpm,distanceMeters", ["seconds", "bpm"], false),
                ("?columns=", nil, false), ("?columns=bpm,", nil, false),
                ("?columns=seconds", nil, false), ("?columns=bpm%20", nil, false),
            ]
            for row in rows {
                let answer = try await running.ask(.get, "/v1/shares/\(share)/overview\(row.query)")
                guard let columns = row.columns else {
                    #expect(answer.status == 400, "\(row.query)")
                    continue
                }
                let object = try Self.object(answer.body)
                let points = try #require(object["points"] as? [String: Any])
                #expect(Set(points.keys) == columns, "\(row.query)")
                #expect((object["events"] != nil) == row.hasEvents, "\(row.query)")
            }
        }
    }

    @Test func `A group gives the overview of the runner whose name is asked for`() async throws {
        try await RunningDaemon.run { running in
            var keys: [ShareKey] = []
            for (index, name) in ["ann", "bob"].enumerated() {
                let token = try running.addDevice(name)
                let share = try running.addShare(of: name) { $0.label = name + " & co" }
                keys.append(
                    try #require(running.daemon.accounts.shares(namedOrID: share).first).key)
                let rates = index == 0 ? [100, 101] : [150, 151]
                try await running.sendHeartRates(
                    rates, token: token, session: Self.session(UInt64(10 + index)))
            }
            let group = try running.daemon.administration.createShare(
                ShareRequest(), of: .group(keys), stem: "both"
            ).id.text
            let path = "/v1/shares/\(group)/overview"
            let bob = try await running.ask(.get, path + "?runner=bob%20%26%20co")
            #expect(try Self.object(bob.body)["runner"] as? String == "bob & co")
            #expect(bob.text.contains("151") && !bob.text.contains("101"))
            for query in ["", "?runner=eve", "?runner=bob&points=0", "?points=many"] {
                #expect(try await running.ask(.get, path + query).status == 400)
            }
        }
    }

    @Test func `A zone that is added holds for the next overview`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let path = "/v1/shares/\(share)/overview"
            try await running.sendHeartRates([140, 141], token: token, session: Self.session(20))
            #expect(try await running.ask(.get, path).text.contains("141"))
            #expect(running.daemon.pipeline.reader.overviews.usage.count == 1)
            let changed = try await running.askMe(
                .put, "/zones", #"{"zones":[],"trimStartMeters":500}"#, token: token)
            try #require(changed.status == 200)
            #expect(running.daemon.pipeline.reader.overviews.usage == (0, 0))
            // Without a position, all of the session may be at its start.
            #expect(try await !running.ask(.get, path).text.contains("141"))
            let ended = try await running.askMe(
                .delete, "/sessions/\(Self.session(20))", token: token)
            try #require(ended.status < 300)
            #expect(running.daemon.pipeline.reader.overviews.usage == (0, 0))
        }
    }
}
