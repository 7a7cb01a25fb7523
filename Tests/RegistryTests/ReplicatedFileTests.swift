import Foundation
import GRDB
import SensorModel
import Testing

@testable import Registry

/// Copies of a registry's file, and files that come from elsewhere.
@Suite struct ReplicatedFileTests {
    @Test func `A copy can be read by its owner alone, and replaces an older one`() throws {
        let leader = try Leader()
        let path = leader.folder + "/copy"
        try Data(repeating: 1, count: 1 << 20).write(to: URL(fileURLWithPath: path))
        try leader.addDevice("watch")
        #expect(try leader.copy() == leader.follower.file)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(throws: RegistryError.self) { try leader.store.copyFile(to: path + "/none") }
    }

    @Test func `A copy is complete while a backup keeps the log from being checkpointed`() throws {
        let leader = try Leader()
        try leader.addDevice("watch")
        let backup = try DatabaseQueue(path: leader.path)
        try backup.read { database in
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM device")
            for epoch in UInt32(1)...20 { try leader.store.setLogEpoch(epoch) }
            #expect(try leader.copy() == leader.follower.file)
        }
        try backup.close()
        try leader.expectEqual()
    }

    /// Closing a descriptor of the file would release them, and a backup's end delete the log.
    @Test func `Reading the file keeps SQLite's locks of it`() throws {
        let leader = try Leader()
        try leader.addDevice("watch")
        let number = try #require(
            FileManager.default.attributesOfItem(atPath: leader.path)[.systemFileNumber]
                as? NSNumber)
        func locks() throws -> Int {
            try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
                .count { $0.contains(":\(number) ") }
        }
        let before = try locks()
        #expect(before > 0)
        _ = try leader.copy()
        try leader.addDevice("other", hash: 2)
        #expect(try locks() == before)
        // The test sees a descriptor that is closed.
        _ = try Leader.bytes(leader.path)
        #expect(try locks() == 0)
    }

    @Test func `A restored backup is given whole`() throws {
        let leader = try Leader()
        try leader.addDevice("watch")
        let folder = leader.folder + "/restored"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/" + RegistryStore.fileName
        try RegistryStore.backUp(folder: leader.folder, to: path)
        let follower = Follower()
        let store = try RegistryStore(folder: folder, observer: follower)
        try store.copyFile(to: folder + "/copy")
        #expect(try Leader.bytes(folder + "/copy") == follower.file)
        #expect(try store.devices().map(\.name) == ["watch"])
    }

    @Test func `A migration is given to a follower that has the older file`() throws {
        let folder = try Scratch().folder + "-older"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/" + RegistryStore.fileName
        let older = try DatabaseQueue(path: path)
        try older.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            for version in RegistrySchema.versions.prefix(3) { try database.execute(sql: version) }
            try database.execute(sql: "PRAGMA user_version = 3")
        }
        try older.close()
        let follower = Follower()
        follower.file = try Leader.bytes(path)
        follower.isReady = false
        #expect(throws: Follower.refusal) { try RegistryStore(folder: folder, observer: follower) }
        follower.isReady = true
        let store = try RegistryStore(folder: folder, observer: follower)
        #expect(follower.given.count == 1)
        try store.copyFile(to: folder + "/copy")
        #expect(try Leader.bytes(folder + "/copy") == follower.file)
    }

    @Test func `Opening after a crash completes the file, so that it can be copied alone`() throws {
        let leader = try Leader()
        try leader.addDevice("watch")
        let folder = leader.folder + "-killed"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.copyItem(atPath: leader.folder, toPath: folder)
        let path = folder + "/" + RegistryStore.fileName
        #expect(try Leader.bytes(path) != leader.follower.file)
        let follower = Follower()
        let store = try RegistryStore(folder: folder, observer: follower)
        #expect(try Leader.bytes(path) == leader.follower.file)
        #expect(try store.devices().count == 1 && follower.given.isEmpty)
    }
}
