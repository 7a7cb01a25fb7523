import Foundation
import GRDB
import SensorModel
import Synchronization
import Testing

@testable import Registry

/// A registry in a temporary folder, and a follower that is given its pages.
final class Leader {
    let folder = FileManager.default.temporaryDirectory.path + "/pulsecast-\(UUID().uuidString)"
    let follower = Follower()
    private(set) var store: RegistryStore

    init() throws {
        store = try RegistryStore(folder: folder, observer: follower)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    var path: String { folder + "/" + RegistryStore.fileName }
    var queue: DatabaseQueue { store.state.withLock { $0.queue } }

    func reopen() throws {
        try queue.close()
        store = try RegistryStore(folder: folder, observer: follower)
    }

    func set(_ pragma: String, _ value: Int) throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA \(pragma) = \(value)") }
    }

    @discardableResult
    func addDevice(_ name: String, hash: UInt8 = 1) throws -> Device {
        try store.addDevice(
            name: name, tokenHash: Scratch.hash(hash), at: Scratch.now, privacySalt: 7,
            sealProofKey: { [1, UInt8($0.rawValue)] })
    }

    /// The file as it is now, without a write-ahead log.
    func copy() throws -> [UInt8] {
        let path = folder + "/copy"
        try store.copyFile(to: path)
        return try Self.bytes(path)
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Checks that the follower has the leader's file.
    func expectEqual(_ comment: Comment? = nil) throws {
        try store.truncateWriteAheadLog()
        try queue.close()
        #expect(try Self.bytes(path) == follower.file, comment)
        store = try RegistryStore(folder: folder, observer: follower)
    }
}

@Suite struct ReplicationTests {
    private static func session(_ number: Int) -> SessionID {
        SessionID(high: UInt64(number), low: .max)
    }

    @Test func `A new registry is given whole, and opening it again gives nothing`() throws {
        let leader = try Leader()
        let first = try #require(leader.follower.given.first)
        #expect(leader.follower.given.count == 1)
        #expect(first.pages.reduce(0) { $0 + $1.bytes.count } == first.fileBytes)
        #expect(try leader.copy() == leader.follower.file)
        try leader.addDevice("watch")
        let count = leader.follower.given.count
        try leader.reopen()
        #expect(leader.follower.given.count == count)
        try leader.expectEqual()
    }

    @Test func `A commit gives the pages it changed, not the file`() throws {
        let leader = try Leader()
        let device = try leader.addDevice("watch")
        let given = leader.follower.given.count
        try leader.store.setLastSeen([device.id: Scratch.now])
        let last = try #require(leader.follower.given.last)
        #expect(leader.follower.given.count == given + 1 && last.pages.count <= 2)
        // A change of nothing gives nothing.
        try leader.store.withdrawCodes(of: [ShareKey(rawValue: 7)])
        #expect(leader.follower.given.count == given + 1)
    }

    @Test(arguments: [1, 3])
    func `Checkpoints within commits lose no page`(pages: Int) throws {
        let leader = try Leader()
        try leader.set("wal_autocheckpoint", pages)
        for number in UInt8(1)...60 {
            try leader.addDevice("watch \(number)", hash: number)
            #expect(try leader.copy() == leader.follower.file)
        }
        // The log was restarted, so it is shorter than all that was written.
        let log = try Leader.bytes(leader.path + "-wal").count
        let given = leader.follower.given.reduce(0) { $0 + $1.pages.count * 4096 }
        #expect(log > 0 && log < given / 2)
        try leader.expectEqual()
    }

    @Test func `What a transaction wrote before it was rolled back is never given`() throws {
        struct Stop: Error {}
        let leader = try Leader()
        let device = try leader.addDevice("watch")
        try leader.set("cache_size", 10)
        for round in 0..<6 {
            let given = leader.follower.given.count
            #expect(throws: RegistryError.self) {
                try leader.store.write { database in
                    for number in 0..<(400 - round * 60) {
                        try database.execute(
                            sql: "INSERT INTO sessionNote VALUES (?, ?, 'spilled', ?, 1)",
                            arguments: [
                                Self.session(number).column, device.id.rawValue,
                                String(repeating: "x", count: 1000),
                            ])
                    }
                    throw Stop()
                }
            }
            // The cache was too small: the log has frames without a commit.
            #expect(try Leader.bytes(leader.path + "-wal").count > 50 * 4096)
            #expect(leader.follower.given.count == given)
            try leader.store.setLastSeen([
                device.id: Scratch.now.advanced(bySeconds: Double(round))
            ])
            #expect(leader.follower.given.count == given + 1)
            #expect(try leader.copy() == leader.follower.file)
        }
        try leader.expectEqual()
    }

    @Test func `A note that is deleted is overwritten in the follower's file`() throws {
        let leader = try Leader()
        let device = try leader.addDevice("watch").id
        let secret = Data("nobody may read this any more".utf8)
        for number in 0..<200 {
            let text = String(decoding: secret, as: UTF8.self) + " \(number)"
            try leader.store.setNote(
                SessionNote(text: text), of: Self.session(number), of: device)
        }
        #expect(Data(leader.follower.file).range(of: secret) != nil)
        for number in 0..<100 {
            try leader.store.setNote(SessionNote(), of: Self.session(number), of: device)
        }
        try leader.store.deleteSessions((100..<200).map(Self.session))
        #expect(Data(leader.follower.file).range(of: secret) == nil)
        try leader.expectEqual()
    }

    // MARK: Refusals and failures

    @Test func `An observer that is not ready leaves nothing written`() throws {
        let leader = try Leader()
        try leader.addDevice("watch")
        let (before, given) = (try leader.copy(), leader.follower.given.count)
        leader.follower.isReady = false
        #expect(throws: Follower.refusal) { try leader.addDevice("other", hash: 2) }
        #expect(throws: Follower.refusal) { try leader.store.setLogEpoch(3) }
        #expect(leader.store.trouble == nil)
        #expect(try leader.copy() == before)
        #expect(leader.follower.given.count == given)
        // What needs no change is opened.
        try leader.reopen()
        #expect(try leader.store.devices().map(\.name) == ["watch"])
        leader.follower.isReady = true
        try leader.addDevice("other", hash: 2)
        try leader.expectEqual()
    }

    @Test func `An observer that is not ready lets no registry be made`() throws {
        let follower = Follower()
        let folder = try Scratch().folder + "-refused"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        follower.isReady = false
        #expect(throws: Follower.refusal) { try RegistryStore(folder: folder, observer: follower) }
        #expect(!FileManager.default.fileExists(atPath: folder))
        follower.isReady = true
        follower.isFailing = true
        #expect(throws: Follower.failure) { try RegistryStore(folder: folder, observer: follower) }
    }

    @Test func `What an observer failed to take is told with the next commit`() throws {
        let leader = try Leader()
        try leader.set("wal_autocheckpoint", 1)
        let given = leader.follower.given.count
        leader.follower.isFailing = true
        for number in UInt8(1)...3 {
            #expect(throws: Follower.failure) {
                try leader.addDevice("watch \(number)", hash: number)
            }
        }
        #expect(leader.store.trouble == nil)
        #expect(try leader.store.devices().count == 3)
        #expect(leader.follower.given.count == given)
        leader.follower.isFailing = false
        try leader.store.setLogEpoch(3)
        #expect(leader.follower.given.count == given + 1)
        #expect(try leader.copy() == leader.follower.file)
        try leader.expectEqual()
    }

    @Test func `An erasure that an observer failed to take leaves nothing in the log`() throws {
        let leader = try Leader()
        let device = try leader.addDevice("watch").id
        let secret = "nobody may read this any more"
        try leader.store.setNote(SessionNote(text: secret), of: Self.session(1), of: device)
        try leader.store.write { database in
            try database.execute(
                sql: "UPDATE sessionNote SET exertion = 3 WHERE session = ?",
                arguments: [Self.session(1).column])
        }
        let log = leader.path + "-wal"
        #expect(Data(try Leader.bytes(log)).range(of: Data(secret.utf8)) != nil)
        leader.follower.isFailing = true
        #expect(throws: Follower.failure) { try leader.store.deleteSessions([Self.session(1)]) }
        #expect(try Leader.bytes(log).isEmpty)
        leader.follower.isFailing = false
        try leader.store.setLogEpoch(1)
        #expect(Data(leader.follower.file).range(of: Data(secret.utf8)) == nil)
        try leader.expectEqual()
    }

    @Test func `After a log that could not be read the whole file is given`() throws {
        let leader = try Leader()
        try leader.addDevice("watch")
        let replication = try #require(leader.store.replication)
        // A database in memory has no write-ahead log.
        let other = try DatabaseQueue()
        #expect(throws: ObserverFailure.self) {
            try other.writeWithoutTransaction { try replication.sendCommits(of: $0) }
        }
        try leader.store.setLogEpoch(3)
        let last = try #require(leader.follower.given.last)
        #expect(last.pages.count * 4096 == last.fileBytes)
        try leader.expectEqual()
    }

    @Test func `A revocation holds here at once, whatever the other nodes have`() throws {
        let leader = try Leader()
        let device = try leader.addDevice("watch")
        let revocation = Revocation(of: device, at: Scratch.now)
        leader.follower.isReady = false
        #expect(try leader.store.revoke(revocation) == .onThisNode)
        #expect(try leader.store.devices().first?.revokedAt == nil)
        // The note makes it hold after a restart, too.
        let notes = try Data(
            contentsOf: URL(fileURLWithPath: leader.folder + "/" + RevocationNotes.fileName))
        #expect(String(decoding: notes, as: UTF8.self).hasPrefix("device 1 "))
        leader.follower.isReady = true
        #expect(try leader.store.revoke(revocation) == .stored)
        #expect(try leader.store.devices().first?.revokedAt != nil)
    }

    @Test func `A degraded registry's recovery is given, or fails for the observer alone`() throws {
        let leader = try Leader()
        let device = try leader.addDevice("watch")
        try leader.set("max_page_count", 1)
        let large = StoredCourse(
            name: "", gpx: [UInt8](repeating: 1, count: 100_000), changedAt: Scratch.now)
        #expect(throws: RegistryError.notWritable(.full)) {
            try leader.store.setCourse(large, of: device.id)
        }
        let revocation = Revocation(of: device, at: Scratch.now)
        #expect(try leader.store.revoke(revocation) == .inMemory(.full))
        try leader.set("max_page_count", 1_000_000)
        leader.follower.isReady = false
        #expect(throws: Follower.refusal) { try leader.store.recover() }
        (leader.follower.isReady, leader.follower.isFailing) = (true, true)
        #expect(throws: Follower.failure) { try leader.store.recover() }
        #expect(leader.store.trouble == .full)
        leader.follower.isFailing = false
        try leader.store.recover()
        #expect(leader.store.trouble == nil)
        #expect(try leader.store.devices().map(\.revokedAt) == [Scratch.now])
        try leader.expectEqual()
    }
}
