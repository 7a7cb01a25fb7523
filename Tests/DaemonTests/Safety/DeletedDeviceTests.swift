import Client
import Foundation
import SensorModel
import Testing
import Transport
import WireFormat

@testable import Daemon
@testable import Runtime

/// Traces of a deleted device, searched for in the bytes on disk.
@Suite(.serialized) struct DeletedDeviceTests {
    private static let session = SessionID(high: 0xA1B2_C3D4_E5F6_4711, low: 0x8888_1234_5678_9ABC)

    /// The 16 bytes of the session ID as the log and the registry write them.
    private static var sessionBytes: [UInt8] {
        [session.high, session.low].flatMap { number in
            stride(from: 56, through: 0, by: -8).map { UInt8(number >> UInt64($0) & 0xFF) }
        }
    }

    private static func places(of needle: Data, below folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { file in
            FileManager.default.contents(atPath: folder + "/" + file)?.range(of: needle) != nil
        }
    }

    @Test func `An owner erases everything by the device's name, and nothing by another`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let other = try running.addDevice("bob")
            let link = try running.addShare(of: "ann")
            for (number, token) in [token, other].enumerated() {
                try await running.sendHeartRates(
                    [140, 141], token: token, session: RunningDaemon.session(number))
            }
            func erase(_ name: String) async throws -> HTTPClient.Answer {
                try await running.ask(
                    .delete, "/v1/me", token: token,
                    fields: ["Content-Type": "application/json"], body: #"{"device":"\#(name)"}"#)
            }
            for wrong in ["bob", "", "Ann"] { #expect(try await erase(wrong).status == 400) }
            let erased = try await erase("ann")
            #expect(erased.status == 200 && erased.object["sessionsErased"] as? Int == 1)
            #expect(try await running.ask(.get, "/v1/me", token: token).status == 401)
            #expect(try await running.ask(.get, "/v1/shares/\(link)/latest").status == 404)
            let left = try await running.admin(.get, "/sessions").list
            #expect(left.compactMap { $0["device"] as? String } == ["bob"])
        }
    }

    @Test func `No byte of a deleted device's recordings, names and links is on disk`()
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("zebrafinch")
            let stays = try running.addDevice("stays")
            let id = try running.addShare(of: "zebrafinch") { $0.label = "Quetzalcoatl" }
            #expect(try await running.ask(.get, "/v1/shares/\(id)/latest").status == 200)
            try await Self.record(running, token: token, session: Self.session, "ornithopter")
            let other = SessionID(high: 0x5151_5151_5151_4151, low: 1 << 63)
            try await Self.record(running, token: stays, session: other, "staying marker")
            running.daemon.saveCounts()

            let needles: [(String, Data)] = [
                ("marker", Data("ornithopter".utf8)), ("session", Data(Self.sessionBytes)),
                ("session as text", Data("\(Self.session)".utf8)),
                ("name", Data("zebrafinch".utf8)), ("label", Data("Quetzalcoatl".utf8)),
            ]
            let before = try needles.filter {
                try !Self.places(of: $0.1, below: running.folder).isEmpty
            }
            // Without finds before the deletion, an empty search afterwards would prove nothing.
            #expect(before.count >= 4)
            let answer = try await running.admin(.delete, "/devices/zebrafinch")
            #expect(answer.object["sessionsErased"] as? Int == 1)
            #expect((answer.object["bytesErased"] as? Int ?? 0) > 0)
            for (what, needle) in needles {
                #expect(
                    try Self.places(of: needle, below: running.folder) == [], "\(what) is left")
            }
            let kept = Data("staying marker".utf8)
            #expect(try !Self.places(of: kept, below: running.folder).isEmpty)
            let rows = try await running.admin(.get, "/sessions").list
            #expect(rows.compactMap { $0["id"] as? String } == ["\(other)"])
        }
    }

    private static func record(
        _ running: RunningDaemon, token: String, session: SessionID, _ marker: String
    ) async throws {
        let client = try await DeviceClient.connect(
            to: try running.address(.tcp), format: .text)
        try await client.send(Hello(token: token, session: session))
        let now = WallClock.now().secondsSince1970
        for (index, line) in [
            #"{"type":"heartRate","heartRate":144,"timestamp":\#(now),"seq":1}"#,
            #"{"type":"marker","text":"\#(marker)","timestamp":\#(now),"seq":2}"#,
        ].enumerated() {
            try await client.send(text: Array(line.utf8))
            for try await answer in client.answers {
                if case .ack(let sequence) = answer, sequence.rawValue > index { break }
            }
        }
        await client.close()
    }
}
