import Client
import Foundation
import Registry
import SensorModel
import Testing
import Transport
import WireFormat

@testable import Daemon
@testable import Runtime

@Suite(.serialized) struct CourseDeskTests {
    private static let gpx = """
        <?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
        <wpt lat="48.105" lon="11.5"><name>Bridge</name></wpt>
        <trk><trkseg><trkpt lat="48.1" lon="11.5"/><trkpt lat="48.11" lon="11.5"/>
        </trkseg></trk></gpx>
        """

    /// Sends fixes a second apart and waits for the last one's ack.
    private func send(
        _ latitudes: [Double], from sequence: Int, token: String, _ running: RunningDaemon,
        session: SessionID = SessionID(high: 0x4000, low: 0x8000_0000_0000_0007)
    ) async throws {
        let client = try await DeviceClient.connect(to: try running.address(.tcp), format: .text)
        try await client.send(Hello(token: token, session: session))
        let base = WallClock.now().secondsSince1970 - 20
        for (index, latitude) in latitudes.enumerated() {
            let number = sequence + index
            let line =
                #"{"type":"location","latitude":\#(latitude),"longitude":11.5,"altitude":500,"#
                + #""horizontalAccuracy":4,"verticalAccuracy":5,"speed":3,"course":0,"#
                + #""timestamp":\#(base + Double(number)),"seq":\#(number)}"#
            try await client.send(text: Array(line.utf8))
        }
        let last = sequence + latitudes.count - 1
        for try await answer in client.answers {
            if case .ack(let acked) = answer, acked.rawValue >= last { break }
        }
        await client.close()
    }

    private func course(
        _ share: String, _ running: RunningDaemon
    ) async throws -> [String: Any]? {
        try await running.ask(.get, "/v1/shares/\(share)/latest").object["course"]
            as? [String: Any]
    }

    @Test func `A session follows its device's course, an older one too, until it is removed`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let blind = try running.addShare(of: "ann") { $0.scope = [.heartRate, .metrics] }
            try await send([48.1, 48.100_03], from: 1, token: token, running)
            #expect(try await course(share, running) == nil)

            let put = try await running.ask(.put, "/v1/me/course", token: token, body: Self.gpx)
            #expect(put.status == 200)
            try await send([48.100_06, 48.100_09], from: 3, token: token, running)
            let followed = try #require(try await course(share, running))
            #expect(followed["checkpoint"] as? String == "Bridge")
            #expect(followed["offCourse"] as? Bool == false)
            #expect(try await course(blind, running) == nil)

            let gone = try await running.ask(.delete, "/v1/me/course", token: token)
            #expect(gone.status == 204)
            try await send([48.100_12, 48.100_15], from: 5, token: token, running)
            // Course changes of one device are followed at most once in two seconds.
            let isGone = try await running.eventually { try await course(share, running) == nil }
            #expect(isGone)
            let latest = try await running.ask(.get, "/v1/shares/\(share)/latest")
            #expect(latest.object["position"] != nil)
        }
    }

    enum DeviceChange: CaseIterable {
        case profile, zones, rotation

        /// - Returns: The token that is valid from then on.
        func make(_ token: String, _ running: RunningDaemon) async throws -> String {
            switch self {
            case .profile:
                let put = try await running.ask(
                    .put, "/v1/me/profile", token: token, body: #"{"maxHeartRate":188}"#)
                #expect(put.status == 200)
            case .zones:
                let zones =
                    #"{"zones":[{"name":"home","latitude":48.3,"longitude":11.5,"#
                    + #""radiusMeters":200}]}"#
                let put = try await running.ask(
                    .put, "/v1/me/zones", token: token, body: zones)
                #expect(put.status == 200)
            case .rotation:
                return try running.daemon.administration.rotateDevice(named: "ann").token
            }
            return token
        }
    }

    @Test(arguments: DeviceChange.allCases)
    func `A course outlives other changes of its device`(change: DeviceChange) async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann")
            let put = try await running.ask(.put, "/v1/me/course", token: token, body: Self.gpx)
            #expect(put.status == 200)
            let changed = try await change.make(token, running)
            let device = try running.daemon.administration.known("ann")
            #expect(running.daemon.administration.accounts.course(of: device.id) != nil)
            let session = SessionID(high: 0x4002, low: 0x8000_0000_0000_0007)
            // Next to a zone, a runner comes into view after 100 m.
            try await send(
                (0..<15).map { 48.1 + Double($0) / 10_000 }, from: 1, token: changed, running,
                session: session)
            let followed = try #require(try await course(share, running))
            #expect(followed["checkpoint"] as? String == "Bridge")
        }
    }

    @Test func `A checkpoint that is reached is an event for who may know where`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let scopes: [(Scope, [String])] = [
                (.all, ["Bridge"]), (.location, ["Bridge"]), ([.heartRate, .metrics], []),
            ]
            let shares = try scopes.map { scope, _ in
                try running.addShare(of: "ann") { $0.scope = scope }
            }
            let put = try await running.ask(.put, "/v1/me/course", token: token, body: Self.gpx)
            #expect(put.status == 200)
            // Fixes 170, 160 and 148 m before the checkpoint, and one further on.
            try await send(
                [48.103_47, 48.103_56, 48.103_67, 48.103_70], from: 1, token: token, running)
            func reached(_ share: String) async throws -> [String] {
                let history = try await running.ask(.get, "/v1/shares/\(share)/history").object
                let items = history["items"] as? [[String: Any]] ?? []
                return items.filter { $0["event"] as? String == "checkpointReached" }
                    .compactMap { $0["checkpoint"] as? String }
            }
            #expect(try await running.eventually { try await !reached(shares[0]).isEmpty })
            for (share, (scope, names)) in zip(shares, scopes) {
                #expect(try await reached(share) == names, "\(scope)")
            }
        }
    }
}
