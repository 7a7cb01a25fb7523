import Client
import Foundation
import SensorModel
import Sessions
import Testing
import Transport
import WireFormat

@testable import Daemon
@testable import Runtime

/// A newest session that is hidden completely: its shares show the one before, even with neither in
/// memory.
@Suite(.serialized) struct HiddenSessionTests {
    private static let home = (latitude: 48.2, longitude: 11.6)
    private static let away = (latitude: 48.25, longitude: 11.6)

    /// Sends a run east at 4 m/s with a position and a heart rate a second; the last are `ago`
    /// seconds old.
    private static func run(
        _ number: UInt64, from place: (latitude: Double, longitude: Double), ago: Double,
        _ running: RunningDaemon, token: String
    ) async throws {
        let client = try await DeviceClient.connect(to: try running.address(.tcp), format: .text)
        try await client.send(
            Hello(token: token, session: SessionID(high: 0x4014, low: number | 1 << 63)))
        let seconds = 120
        let start = (WallClock.now().secondsSince1970 - ago).rounded(.down) - Double(seconds)
        for second in 0..<seconds {
            let longitude = place.longitude + Double(4 * second) / 74_000
            let time = start + Double(second)
            let lines = [
                #"{"type":"location","latitude":\#(place.latitude),"longitude":\#(longitude),"#
                    + #""altitude":500,"horizontalAccuracy":4,"verticalAccuracy":5,"speed":4,"#
                    + #""course":90,"timestamp":\#(time),"#
                    + #""seq":\#(2 * second + 1)}"#,
                #"{"type":"heartRate","heartRate":\#(100 + Int(number)),"timestamp":\#(time),"#
                    + #""seq":\#(2 * second + 2)}"#,
            ]
            for line in lines { try await client.send(text: Array(line.utf8)) }
        }
        // Without its end the values of a run would go stale one by one.
        let stop =
            #"{"type":"control","action":"stop","timestamp":\#(start + Double(seconds)),"#
            + #""seq":\#(2 * seconds + 1)}"#
        try await client.send(text: Array(stop.utf8))
        for try await answer in client.answers {
            if case .ack(let sequence) = answer, sequence.rawValue > 2 * seconds { break }
        }
        await client.close()
    }

    private static func zones(
        at place: (latitude: Double, longitude: Double), meters: Int
    ) -> String {
        """
        {"zones":[{"name":"z","latitude":\(place.latitude),"longitude":\(place.longitude),\
        "radiusMeters":\(meters)}]}
        """
    }

    /// Returns what the outlets show of the session: heart rates and the runner's distance.
    private static func told(of share: String, _ running: RunningDaemon) async throws -> [String] {
        let history = try await running.ask(.get, "/v1/shares/\(share)/history?limit=1000")
        let stream = try await running.ask(.get, "/publicStreams/\(share)/heartRate.json")
        let latest = try await running.ask(.get, "/v1/shares/\(share)/latest")
        let items = history.object["items"] as? [[String: Any]] ?? []
        let rates = items.compactMap { ($0["heartRate"] as? [String: Any])?["bpm"] as? Int }
        return [
            "\(history.status) \(items.count)", "\(Set(rates))", "\(stream.object.count)",
            "\(latest.object["distanceMeters"] ?? "none")",
        ]
    }

    @Test(arguments: [0, 1])
    func `Nobody sees that a newest session is hidden, after a restart or a change of zones`(
        delaySeconds: Int
    ) async throws {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var (share, token) = ("", "")
        var shown: [String] = []
        try await RunningDaemon.again(in: folder) { running in
            token = try running.addDevice("ann")
            share = try running.addShare(of: "ann") { $0.delaySeconds = delaySeconds }
            let zones = try await running.ask(
                .put, "/v1/me/zones", token: token, body: Self.zones(at: Self.home, meters: 1000))
            try #require(zones.status == 200)
            try await Self.run(1, from: Self.away, ago: 200, running, token: token)
            // The last second of a run is held for frames that come late.
            try await Task.sleep(for: .seconds(2 + delaySeconds))
            #expect(
                try await running.eventually {
                    let before = shown
                    shown = try await Self.told(of: share, running)
                    return shown[1] == "[101]" && shown == before
                })
            try await Self.run(2, from: Self.home, ago: 0, running, token: token)
            try await Task.sleep(for: .seconds(delaySeconds))
            let beside = try await Self.told(of: share, running)
            #expect(beside == shown)
        }
        try await RunningDaemon.again(in: folder) { running in
            // The first request is answered with nothing in memory; live views have a delay.
            let atOnce = try await Self.told(of: share, running)
            #expect(delaySeconds > 0 ? atOnce.dropLast() == shown.dropLast() : atOnce == shown)
            // A zone around the older run hides that one, too, and shows the newest.
            let moved = try await running.ask(
                .put, "/v1/me/zones", token: token, body: Self.zones(at: Self.away, meters: 1000))
            try #require(moved.status == 200)
            #expect(
                try await running.eventually {
                    try await Self.told(of: share, running)[1] == "[102]"
                })
        }
    }

    @Test func `A share that was deleted waits for no reading`() async throws {
        let folder = RunningDaemon.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var share: Share?
        try await RunningDaemon.again(in: folder) { running in
            let token = try running.addDevice("ann")
            _ = try running.addShare(of: "ann")
            share = running.daemon.accounts.shares.first
            try await Self.run(1, from: Self.away, ago: 10, running, token: token)
        }
        let known = try #require(share)
        try await RunningDaemon.again(in: folder) { running in
            let reader = running.daemon.pipeline.reader
            for isDeleted in [false, true] {
                if isDeleted { await reader.mailbox.ask { $0.hub.remove(known.key) } }
                try await reader.resolve([known], for: .upkeep, from: .owner)
                let isOpen = await reader.mailbox.ask { $0.unresolved(by: known) != nil }
                #expect(isOpen == false)
            }
        }
    }
}
