import GRDB
import SensorModel
import Testing

@testable import Registry

@Suite struct ShareTests {
    @Test func `A share survives a restart as it was written`() throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        let share = try scratch.addShare("family", hash: 3)
        let group = try scratch.addShare(
            "team", hash: 4, target: .group([share.key]))
        #expect(share.key == ShareKey(rawValue: 1) && group.members == [share.key])
        try scratch.reopen()
        #expect(try scratch.store.shares() == [share, group])
        #expect(try scratch.store.sealedID(of: share.key) == [9, 1])
    }

    @Test func `A group keeps the order of its members`() throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        let keys = try (1...5).map { try scratch.addShare("s\($0)", hash: UInt8($0)).key }
        let shuffled = [3, 0, 4, 1, 2].map { keys[$0] }
        try scratch.addShare("team", hash: 9, target: .group(shuffled))
        #expect(try scratch.store.shares().last?.members == shuffled)
    }

    @Test func `A name is taken in any case, a share without its device is refused`() throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        try scratch.addShare("family", hash: 3)
        #expect(throws: RegistryError.nameTaken("FAMILY")) {
            try scratch.addShare("FAMILY", hash: 4)
        }
        #expect(throws: RegistryError.self) {
            try scratch.addShare("x", hash: 5, target: .device(DeviceID(rawValue: 77)))
        }
        #expect(try scratch.store.shares().count == 1)
    }

    @Test func `Devices and groups may use the same names`() throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        try scratch.addDevice("other", hash: 2)
        let share = try scratch.addShare("family", hash: 3)
        try scratch.addShare("family", hash: 4, target: .device(DeviceID(rawValue: 2)))
        try scratch.addShare("family", hash: 5, target: .group([share.key]))
        #expect(throws: RegistryError.nameTaken("Family")) {
            try scratch.addShare("Family", hash: 6, target: .group([share.key]))
        }
        try scratch.reopen()
        #expect(try scratch.store.shares().map(\.name) == ["family", "family", "family"])
    }

    @Test func `Names of a registry of before are taken over`() throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        try scratch.addShare("family", hash: 3)
        try scratch.store.write { database in
            try database.execute(sql: "UPDATE share SET nameKey = 'family'")
            for table in [
                "log", "sessionNote", "receiver", "openAlert", "alertLink", "delivery",
                "deliveryTarget",
            ] {
                try database.execute(sql: "DROP TABLE \(table)")
            }
            try database.execute(
                sql: "DROP INDEX shareByGroupOwner; ALTER TABLE share DROP COLUMN groupOwner")
            try database.execute(sql: "ALTER TABLE share DROP COLUMN publicName")
            try database.execute(sql: "PRAGMA user_version = 2")
        }
        try scratch.reopen()
        #expect(throws: RegistryError.nameTaken("family")) {
            try scratch.addShare("family", hash: 4)
        }
    }

    @Test func `Rotation and revocation withdraw the codes that are out`() throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        let share = try scratch.addShare("family", hash: 3)
        let later = Scratch.now.advanced(bySeconds: 600)
        _ = try scratch.store.addCode(sealed: [1], for: share.key, at: Scratch.now, until: later)
        try scratch.store.rotateShare(
            share.key, idHash: Scratch.hash(8), sealedID: [5])
        #expect(try scratch.store.snapshot().codes.isEmpty)
        let code = try scratch.store.addCode(
            sealed: [2], for: share.key, at: Scratch.now, until: later)
        #expect(try scratch.store.snapshot().codes.map(\.number) == [code])
        // The share as it was before its rotation.
        for seconds in [0.0, 9] {
            let revocation = Revocation(of: share, at: later.advanced(bySeconds: seconds))
            #expect(try scratch.store.revoke(revocation) == .stored)
        }
        let snapshot = try scratch.store.snapshot()
        #expect(snapshot.codes.isEmpty)
        #expect(snapshot.shares[0].revokedAt == later)
        #expect(snapshot.shares[0].idHash == Scratch.hash(8))
        #expect(try scratch.store.sealedID(of: share.key) == [5])
    }

    @Test func `Codes are removed when used, and when expired by the time of the next`() throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        let key = try scratch.addShare("family", hash: 3).key
        func add(_ lifetime: Double, at seconds: Double = 0) throws -> Int64 {
            let now = Scratch.now.advanced(bySeconds: seconds)
            return try scratch.store.addCode(
                sealed: [1], for: key, at: now, until: now.advanced(bySeconds: lifetime))
        }
        let numbers = try [1.0, 2, 3, 4].map { try add($0) }
        try scratch.store.removeCode(numbers[3])
        #expect(try scratch.store.snapshot().codes.map(\.number) == Array(numbers[..<3]))
        let next = try add(1, at: 2)
        #expect(try scratch.store.snapshot().codes.map(\.number) == [numbers[2], next])
    }

    @Test func `What names no share says so`() throws {
        let scratch = try Scratch()
        let key = ShareKey(rawValue: 5)
        let unknown = RegistryError.unknownShare("number 5")
        let revocation = Revocation(target: .share(key), hash: .zero, time: Scratch.now)
        #expect(throws: unknown) { try scratch.store.revoke(revocation) }
        #expect(throws: unknown) { try scratch.store.deleteShare(key) }
        #expect(throws: unknown) { try scratch.store.sealedID(of: key) }
        #expect(throws: unknown) {
            try scratch.store.rotateShare(key, idHash: .zero, sealedID: [])
        }
    }

    @Test func `A device whose shares come and go keeps the audit of others`() throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        try scratch.addDevice("other", hash: 2)
        let other = DeviceID(rawValue: 2)
        let key = try scratch.addShare("family", hash: 3).key
        let flood = try scratch.addShare("flood", hash: 4, target: .device(other)).key
        func entries(_ share: ShareKey, _ count: Int) -> [AuditEntry] {
            (0..<count).map {
                AuditEntry(
                    time: Timestamp(microseconds: Int64($0)), share: share, kind: .opened,
                    addressName: "a")
            }
        }
        try scratch.store.addAudit(entries(key, 5))
        for _ in 0..<12 {
            let gone = try scratch.addShare("gone", hash: 5, target: .device(other)).key
            try scratch.store.addAudit(entries(gone, 9000))
            try scratch.store.deleteShare(gone)
        }
        try scratch.store.addAudit(entries(flood, RegistryStore.auditEntriesPerDeviceMax + 500))
        #expect(try scratch.store.audit(of: key).count == 5)
        let kept = try scratch.store.audit(of: flood, limit: .max)
        #expect(kept.count == RegistryStore.auditEntriesPerDeviceMax)
        #expect(kept.first?.time == Timestamp(microseconds: Int64(kept.count + 499)))
    }

    @Test func `The audit is kept by share, newest first, and goes with it`() throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        let key = try scratch.addShare("family", hash: 3).key
        let entries = AuditEntry.Kind.allCases.map {
            AuditEntry(time: Scratch.now, share: key, kind: $0, addressName: "ab12")
        }
        let stray = AuditEntry(
            time: Scratch.now, share: ShareKey(rawValue: 99), kind: .opened, addressName: "x")
        try scratch.store.addAudit(entries + [stray])
        #expect(try scratch.store.audit(of: key) == entries.reversed())
        #expect(try scratch.store.audit(of: key, limit: 2).count == 2)
        try scratch.store.deleteShare(key)
        #expect(try scratch.store.audit(of: key).isEmpty)
    }

    @Test func `Viewers are counted over restarts`() throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        let key = try scratch.addShare("family", hash: 3).key
        try scratch.store.setViewersEver([key: 41])
        try scratch.reopen()
        #expect(try scratch.store.snapshot().viewersEver == [key: 41])
    }
}
