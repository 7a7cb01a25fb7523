import Client
import Foundation
import Runtime
import SensorModel
import Testing
import Transport

@testable import Daemon

/// Invalid cursors of a share: from another device, or of deleted records.
@Suite(.serialized) struct CursorTests {
    /// A client with its cursor, and whether it is told of a gap.
    private enum Comer: String, CaseIterable {
        case own, anothers, deleted, epoch, beyond, largest, first
    }

    private static func session(_ number: UInt64) -> SessionID { SessionID(high: 7, low: number) }

    @Test func `A cursor of another share or of deleted history is answered by a gap`()
        async throws
    {
        try await RunningDaemon.run { running in
            let (ann, bea) = (try running.addDevice("ann"), try running.addDevice("bea"))
            let share = try running.addShare(of: "ann")
            let other = try running.addShare(of: "bea")
            // The sessions run at the same time, so their records are interleaved.
            for round in 1...2 as ClosedRange<UInt64> {
                let low = round * 2
                for (token, session) in [(ann, low), (bea, low + 1)] {
                    try await running.sendHeartRates(
                        [120, 121, 122, 123], token: token, session: Self.session(session))
                }
            }
            let deleted = try await Self.cursor(of: share, running)
            let erased = try await running.admin(.delete, "/sessions/\(Self.session(4))")
            try #require(erased.status == 200)
            let own = try await Self.cursor(of: share, running)
            let end = try #require(own.split(separator: "-").last.flatMap { UInt64($0) })
            let cursors: [Comer: (text: String, isLost: Bool)] = [
                .own: (own, false), .anothers: (try await Self.cursor(of: other, running), true),
                .deleted: (deleted, true), .epoch: ("e9-1", true),
                .beyond: ("e1-\(end + 1000)", true), .largest: ("e1-\(UInt64.max)", true),
                .first: ("e1-0", false),
            ]
            for comer in Comer.allCases {
                let cursor = try #require(cursors[comer])
                let types = try await Self.firstTypes(of: share, after: cursor.text, running)
                let expected = cursor.isLost ? ["gap", "snapshot"] : ["snapshot"]
                #expect(Array(types.prefix(expected.count)) == expected, "\(comer)")
                let page = try await running.ask(
                    .get, "/v1/shares/\(share)/history?after=\(cursor.text)")
                let items = page.object["items"] as? [[String: Any]] ?? []
                #expect((items.first?["type"] as? String == "gap") == cursor.isLost, "\(comer)")
            }
        }
    }

    @Test(arguments: [0, 600], [false, true])
    func `A cursor of an empty log is answered by a gap`(delaySeconds: Int, trims: Bool)
        async throws
    {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let share = try running.addShare(of: "ann") { $0.delaySeconds = delaySeconds }
            let zones = try await running.ask(
                .put, "/v1/me/zones", token: token,
                body: #"{"zones":[],"trimStartMeters":\#(trims ? 100 : 0)}"#)
            try #require(zones.status == 200)
            for offset in [1, 1_000_000, UInt64.max] {
                let page = try await running.ask(
                    .get, "/v1/shares/\(share)/history?after=e1-\(offset)")
                let items = page.object["items"] as? [[String: Any]] ?? []
                #expect(items.first?["type"] as? String == "gap")
            }
        }
    }

    @Test func `A cursor of a session from before the share is answered by a gap`() async throws {
        try await RunningDaemon.run { running in
            let token = try running.addDevice("ann")
            let old = try running.addShare(of: "ann")
            try await running.sendHeartRates(
                [100, 101, 102], token: token, session: SessionID(high: 1, low: 1))
            let cursor = try await Self.cursor(of: old, running)
            let young = try running.addShare(of: "ann")
            for (share, isOpen) in [(old, true), (young, false)] {
                let page = try await running.ask(
                    .get, "/v1/shares/\(share)/history?after=\(cursor)")
                let items = page.object["items"] as? [[String: Any]] ?? []
                #expect((items.first?["type"] as? String == "gap") != isOpen)
            }
        }
    }

    @Test func `Before the first record no reader waits for one`() async throws {
        try await RunningDaemon.run { running in
            let reader = running.daemon.pipeline.reader
            #expect(await reader.isReadable(through: RecordOffset(rawValue: 0)))
        }
    }

    private static func cursor(of share: String, _ running: RunningDaemon) async throws -> String {
        let answer = try await running.ask(.get, "/v1/shares/\(share)/latest")
        return try #require(answer.object["cursor"] as? String)
    }

    private static func firstTypes(
        of share: String, after cursor: String, _ running: RunningDaemon
    ) async throws -> [String] {
        let viewer = try await running.socket("/v1/shares/\(share)/live?after=\(cursor)")
        var types: [String] = []
        for try await event in viewer.events {
            let object = try JSONSerialization.jsonObject(with: Data(event.utf8)) as? [String: Any]
            types.append(object?["type"] as? String ?? "")
            if types.last == "snapshot" { break }
        }
        await viewer.close()
        return types
    }
}
