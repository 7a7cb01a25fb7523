import Foundation
import GRDB
import SensorModel
import Testing

@testable import Registry

/// A long random use of a registry, and its follower's file meanwhile.
@Suite struct RandomReplicationTests {
    private struct Stop: Error {}

    /// What one run has made so far.
    private struct Run {
        let leader: Leader
        var generator: SeededGenerator
        var devices: [Device] = []
        var shares: [Share] = []
        var sessions: [SessionID] = []
        var names = 0
        /// A copy of the file, and how many gifts came before it.
        var copy: (file: [UInt8], given: Int)?
        /// Steps of each kind that changed something.
        var done: [Int] = Array(repeating: 0, count: 16)

        mutating func number(_ range: Range<Int>) -> Int { .random(in: range, using: &generator) }

        mutating func hash() -> SecretHash {
            var bytes: [UInt8] = []
            for _ in 0..<32 { bytes.append(UInt8(truncatingIfNeeded: generator.next())) }
            return SecretHash(bytes: bytes) ?? .zero
        }

        mutating func name() -> String {
            names += 1
            return "name \(names)"
        }
    }

    @Test(arguments: [UInt64(1), 2])
    func `A follower's file is the leader's throughout`(seed: UInt64) throws {
        var run = Run(leader: try Leader(), generator: SeededGenerator(seed: seed))
        for step in 0..<300 {
            let kind = run.number(0..<run.done.count)
            do {
                if try Self.perform(kind, &run) { run.done[kind] += 1 }
            } catch let error as RegistryError where error == Follower.failure {
                run.leader.follower.isFailing = false
                try run.leader.store.setLogEpoch(UInt32(step))
                // The change was made all the same.
                run.devices = try run.leader.store.devices()
                run.shares = try run.leader.store.shares()
            }
            guard step % 4 == 0 else { continue }
            let isEqual = try run.leader.copy() == run.leader.follower.file
            try #require(isEqual, "seed \(seed), step \(step), kind \(kind)")
        }
        #expect(run.done.allSatisfy { $0 > 0 }, "\(run.done)")
        var copy = try #require(run.copy)
        for pages in run.leader.follower.given[copy.given...] {
            Follower.apply(pages, to: &copy.file)
        }
        #expect(copy.file == run.leader.follower.file)
        try run.leader.expectEqual("seed \(seed)")
        try expectIntact(run.leader)
    }

    /// SQLite finds nothing wrong in the follower's file, and the same rows as in the leader's.
    private func expectIntact(_ leader: Leader) throws {
        let path = leader.folder + "/follower.sqlite"
        try Data(leader.follower.file).write(to: URL(fileURLWithPath: path))
        let follower = try DatabaseQueue(path: path)
        let check = try follower.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
        #expect(check == ["ok"])
        let dumps = try [leader.queue, follower].map { queue in
            try queue.read { database in
                try String.fetchAll(
                    database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'"
                ).sorted().map { ($0, try Row.fetchAll(database, sql: "SELECT * FROM \($0)")) }
            }
        }
        #expect(dumps[0].count > 10 && dumps[0].contains { !$0.1.isEmpty })
        #expect(dumps[0].map(\.0) == dumps[1].map(\.0) && dumps[0].map(\.1) == dumps[1].map(\.1))
        try follower.close()
    }

    // MARK: Steps

    /// - Returns: Whether there was something to do.
    private static func perform(_ kind: Int, _ run: inout Run) throws -> Bool {
        switch kind {
        case 0...7: try perform(change: kind, &run)
        default: try perform(condition: kind, &run)
        }
    }

    private static func perform(change: Int, _ run: inout Run) throws -> Bool {
        let store = run.leader.store
        if change == 0 || run.devices.isEmpty {
            let (name, hash) = (run.name(), run.hash())
            run.devices.append(
                try store.addDevice(
                    name: name, tokenHash: hash, at: Scratch.now, privacySalt: 1,
                    sealProofKey: { _ in [1, 2, 3] }))
            return true
        }
        let device = run.devices[run.number(0..<run.devices.count)]
        switch change {
        case 1:
            let draft = Share(
                key: ShareKey(rawValue: 0), name: run.name(), idHash: run.hash(),
                target: .device(device.id), scope: [.heartRate], delaySeconds: 0,
                createdAt: Scratch.now)
            run.shares.append(try store.addShare(draft) { _ in [4, 5, 6] })
        case 2:
            guard let share = run.shares.randomElement(using: &run.generator) else { return false }
            _ = try store.revoke(Revocation(of: share, at: Scratch.now))
        case 3:
            let results = (0..<run.number(1..<1500)).map { _ in
                SessionResult(
                    session: SessionID(high: run.generator.next(), low: 1), device: device.id,
                    epoch: 1, lastOffset: RecordOffset(rawValue: 7), metrics: Metrics())
            }
            run.sessions += results.map(\.session)
            try store.putResults(results)
        case 4:
            guard let session = run.sessions.randomElement(using: &run.generator) else {
                return false
            }
            let text = String(repeating: "z", count: run.number(0..<2000))
            try store.setNote(
                SessionNote(text: text.isEmpty ? nil : text), of: session, of: device.id)
        case 5:
            let count = min(run.sessions.count, run.number(1..<1000))
            try store.deleteSessions(Array(run.sessions.suffix(count)))
            run.sessions.removeLast(count)
        case 6:
            try store.deleteDevice(device.id)
            run.devices.removeAll { $0.id == device.id }
            run.shares.removeAll { $0.device == device.id }
        default:
            let gpx = [UInt8](repeating: 9, count: run.number(0..<300_000))
            try store.setCourse(
                StoredCourse(name: "", gpx: gpx, changedAt: Scratch.now), of: device.id)
        }
        return true
    }

    private static func perform(condition: Int, _ run: inout Run) throws -> Bool {
        let leader = run.leader
        switch condition {
        case 8: try rollBack(&run)
        case 9: try leader.reopen()
        case 10: try leader.set("wal_autocheckpoint", run.number(1..<40))
        case 11: try leader.set("cache_size", run.number(8..<60))
        case 12: try leader.store.truncateWriteAheadLog()
        case 13: leader.follower.isFailing = true
        case 14:
            // A copy in the middle of the first half; from then on, only gifts of before it count.
            guard run.copy == nil else { return false }
            let given = max(0, leader.follower.given.count - 5)
            run.copy = (try leader.copy(), given)
        default:
            // Results of another log, so that pages become free and are used again.
            run.sessions = []
            try leader.store.deleteResults(exceptOfEpoch: 2)
        }
        return true
    }

    /// A large transaction, which a small cache writes to the log in part, and which then fails.
    private static func rollBack(_ run: inout Run) throws {
        let count = run.number(1..<800)
        let device = run.devices.first?.id ?? DeviceID(rawValue: 0)
        do {
            try run.leader.store.write { database in
                for number in 0..<count {
                    try database.execute(
                        sql: "INSERT OR REPLACE INTO session (id, device, epoch, lastOffset)"
                            + " SELECT ?, id, 1, 1 FROM device WHERE id = ?",
                        arguments: [
                            SessionID(high: UInt64(number), low: 9).column, device.rawValue,
                        ]
                    )
                    try database.execute(
                        sql: "INSERT INTO audit (time, kind, addressName) VALUES (1, 1, ?)",
                        arguments: [String(repeating: "a", count: 400)])
                }
                throw Stop()
            }
        } catch { #expect(error == RegistryError(Stop())) }
    }
}
