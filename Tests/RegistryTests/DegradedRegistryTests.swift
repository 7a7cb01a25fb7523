import Foundation
import GRDB
import SensorModel
import Synchronization
import Testing

@testable import Registry

/// A registry on a disk that accepts no changes: refusals, preserved state, and recovery.
@Suite struct DegradedRegistryTests {
    private static let later = Scratch.now.advanced(bySeconds: 60)

    /// A registry with a device and two shares, in a file that cannot grow.
    private func full() throws -> (scratch: Scratch, device: Device, shares: [Share]) {
        let scratch = try Scratch()
        let device = try scratch.addDevice("watch")
        let shares = try [2, 3].map { try scratch.addShare("share \($0)", hash: $0) }
        try setPagesMax(1, of: scratch)
        let large = StoredCourse(
            name: "", gpx: [UInt8](repeating: 1, count: 100_000), changedAt: Scratch.now)
        #expect(throws: RegistryError.notWritable(.full)) {
            try scratch.store.setCourse(large, of: device.id)
        }
        return (scratch, device, shares)
    }

    /// Limits the file's pages; SQLite raises a limit below the current count to that count.
    private func setPagesMax(_ count: Int, of scratch: Scratch) throws {
        let queue = scratch.store.state.withLock { $0.queue }
        try queue.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA max_page_count = \(count)")
        }
    }

    typealias Change = @Sendable (Scratch, Device, Share) throws -> Void

    static let changes: [Change] = changesOfDevices + changesOfShares + otherChanges

    private static let changesOfDevices: [Change] = [
        { scratch, _, _ in try scratch.addDevice("other", hash: 9) },
        { scratch, device, _ in
            try scratch.store.rotateDevice(device.id, tokenHash: .zero, sealedProofKey: [])
        },
        { scratch, device, _ in try scratch.store.setProfile(RunnerProfile(), of: device.id) },
        { scratch, device, _ in try scratch.store.setPrivacy(.none, of: device.id) },
        { scratch, device, _ in try scratch.store.setCourse(nil, of: device.id) },
        { scratch, device, _ in try scratch.store.setLastSeen([device.id: Scratch.now]) },
        { scratch, device, _ in try scratch.store.deleteDevice(device.id) },
        { scratch, device, _ in try scratch.store.reserveDeviceNumbers(through: device.id) },
    ]

    private static let changesOfShares: [Change] = [
        { scratch, _, _ in try scratch.addShare("more", hash: 9) },
        { scratch, _, share in try scratch.store.rotateShare(share.key, idHash: .zero, sealedID: [])
        },
        { scratch, _, share in try scratch.store.deleteShare(share.key) },
        { scratch, _, share in try scratch.store.setViewersEver([share.key: 3]) },
        { scratch, _, share in
            _ = try scratch.store.addCode(
                sealed: [1], for: share.key, at: Scratch.now, until: later)
        },
        { scratch, _, share in
            let entry = AuditEntry(
                time: Scratch.now, share: share.key, kind: .opened, addressName: "x")
            try scratch.store.addAudit([entry])
        },
    ]

    private static let otherChanges: [Change] = [
        { scratch, _, _ in try scratch.store.removeCode(1) },
        { scratch, device, _ in
            try scratch.store.addProof(
                UsedProof(proof: .zero, device: device.id, sentAt: Scratch.now),
                forgottenBefore: Scratch.now)
        },
        { scratch, _, _ in try scratch.store.setLogEpoch(7) },
        { scratch, _, _ in try scratch.store.deleteResults(of: [SessionID(high: 1, low: 1)]) },
    ]

    @Test(arguments: changes.indices)
    func `Every change is refused with the reason, and taken once there is room`(
        index: Int
    ) throws {
        let (scratch, device, shares) = try full()
        let before = try scratch.store.devices()
        let change = Self.changes[index]
        #expect(throws: RegistryError.notWritable(.full)) { try change(scratch, device, shares[0]) }
        #expect(try scratch.store.devices() == before)
        #expect(try scratch.store.snapshot().shares == shares)
        try setPagesMax(1_000_000, of: scratch)
        try scratch.store.recover()
        #expect(scratch.store.trouble == nil)
        try change(scratch, device, shares[0])
    }

    @Test func `A degraded registry says so once, and once that it is over`() throws {
        let folder = try Scratch().folder + "-told"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let told = Told()
        let store = try RegistryStore(folder: folder) { told.add($0) }
        try store.recover()
        #expect(told.troubles.isEmpty)
        try store.state.withLock { $0.queue }.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA query_only = 1")
        }
        // SQLite refuses as on a read-only disk; the folder accepts files, so the disk is not the
        // cause.
        #expect(throws: RegistryError.self) { try store.setLogEpoch(1) }
        #expect(store.trouble == nil && told.troubles.isEmpty)
        try store.state.withLock { $0.queue }.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA query_only = 0; PRAGMA max_page_count = 1")
        }
        let many = (0..<500).map {
            AuditEntry(
                time: Scratch.now, share: nil, kind: .opened, addressName: "\($0) of so many")
        }
        for _ in 0..<3 {
            #expect(throws: RegistryError.notWritable(.full)) { try store.addAudit(many) }
        }
        #expect(told.troubles == [.full])
        try store.recover()
        try store.recover()
        #expect(told.troubles == [.full, nil])
    }

    // MARK: Revocations

    @Test func `A revocation that the registry cannot take is kept beside it until it can`() throws
    {
        let (scratch, device, shares) = try full()
        let revocations = [
            Revocation(of: shares[0], at: Self.later), Revocation(of: device, at: Self.later),
        ]
        for revocation in revocations {
            #expect(try scratch.store.revoke(revocation) == .noted)
        }
        func expectRevoked(_ store: RegistryStore) throws {
            let snapshot = try store.snapshot()
            #expect(snapshot.shares.map(\.revokedAt) == [Self.later, nil])
            #expect(snapshot.devices.map(\.revokedAt) == [Self.later])
        }
        try expectRevoked(scratch.store)
        // A crash, a start on a disk that still accepts nothing else, and a backup.
        let copy = scratch.folder + "-killed"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try FileManager.default.copyItem(atPath: scratch.folder, toPath: copy)
        let backup = scratch.folder + "/backup"
        try RegistryStore.backUp(folder: copy, to: backup)
        let backedUp = try DatabaseQueue(path: backup)
        let left = try backedUp.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM share WHERE revokedAt IS NULL")
        }
        #expect(left == 1)
        #expect(RevocationNotes(folder: copy).read() == revocations)
        let again = try RegistryStore(folder: copy)
        try expectRevoked(again)
        // That start stored them, so the notes are gone.
        #expect(RevocationNotes(folder: copy).read().isEmpty)
        try expectRevoked(try RegistryStore(folder: copy))
        // In this run, the registry stores them as soon as it can.
        try setPagesMax(1_000_000, of: scratch)
        try scratch.store.recover()
        try expectRevoked(scratch.store)
        #expect(RevocationNotes(folder: scratch.folder).read().isEmpty)
        #expect(try scratch.store.shares().map(\.revokedAt) == [Self.later, nil])
    }

    @Test func `A revocation without room for a note is only in memory, and said to be`() throws {
        let (scratch, _, shares) = try full()
        let path = scratch.folder + "/" + RevocationNotes.fileName
        try FileManager.default.removeItem(atPath: path)
        let revocation = Revocation(of: shares[1], at: Self.later)
        #expect(try scratch.store.revoke(revocation) == .inMemory(.full))
        #expect(try scratch.store.snapshot().shares.map(\.revokedAt) == [nil, Self.later])
        try setPagesMax(1_000_000, of: scratch)
        try scratch.store.recover()
        #expect(try scratch.store.shares().map(\.revokedAt) == [nil, Self.later])
        // From here on there is room again.
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `A note says nothing of a secret that was made after it`() throws {
        let (scratch, device, shares) = try full()
        _ = try scratch.store.revoke(Revocation(of: shares[0], at: Self.later))
        _ = try scratch.store.revoke(Revocation(of: device, at: Self.later))
        // A registry as from a backup or a manual repair.
        let other = try Scratch()
        try other.addDevice("another", hash: 8)
        try other.addShare("somebody's", hash: 9)
        let name = RevocationNotes.fileName
        try FileManager.default.removeItem(atPath: other.folder + "/" + name)
        try FileManager.default.copyItem(
            atPath: scratch.folder + "/" + name, toPath: other.folder + "/" + name)
        try other.reopen()
        let snapshot = try other.store.snapshot()
        #expect(snapshot.shares.allSatisfy { $0.revokedAt == nil })
        #expect(snapshot.devices.allSatisfy { $0.revokedAt == nil })
    }

    @Test func `The file of notes is full, garbled or cut, and the others are read`() throws {
        let scratch = try Scratch()
        let notes = RevocationNotes(folder: scratch.folder)
        let revocations = (0..<UInt32(RevocationNotes.linesMax)).map {
            Revocation(
                target: .share(ShareKey(rawValue: $0)), hash: Scratch.hash(UInt8($0 % 251)),
                time: Self.later)
        }
        #expect(revocations.allSatisfy(notes.note))
        #expect(!notes.note(revocations[0]))
        #expect(notes.read() == revocations)
        let path = scratch.folder + "/" + RevocationNotes.fileName
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for line in [0, 7] { bytes[line * RevocationNotes.lineBytes + 8] ^= 1 }
        bytes.removeLast(RevocationNotes.lineBytes / 2)
        try bytes.write(to: URL(fileURLWithPath: path))
        let left = revocations.dropLast().filter { ![revocations[0], revocations[7]].contains($0) }
        #expect(notes.read() == left)
        notes.remove(left)
        #expect(notes.read().isEmpty)
        #expect(notes.note(revocations[9]))
    }

    // MARK: A copy in memory

    @Test(arguments: ["ended", "killed"])
    func `A registry is read into memory whole, and nothing is changed on disk`(
        end: String
    ) throws {
        let scratch = try Scratch()
        var folder = scratch.folder
        for number in UInt8(1)...20 { try scratch.addDevice("watch \(number)", hash: number) }
        try scratch.addShare("family", hash: 99)
        let expected = try scratch.store.snapshot()
        if end == "killed" {
            folder += "-killed"
            try FileManager.default.copyItem(atPath: scratch.folder, toPath: folder)
        } else {
            try scratch.store.state.withLock { $0.queue }.close()
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let before = try contents(of: folder)
        #expect(before.keys.contains("registry.sqlite-wal") == (end == "killed"))
        let copy = try RegistryStore.copyInMemory(folder)
        #expect(try contents(of: folder) == before)
        let (devices, shares) = try copy.read {
            (try RegistryStore.allDevices(in: $0), try RegistryStore.allShares(in: $0))
        }
        #expect(devices == expected.devices && shares == expected.shares)
    }

    private func contents(of folder: String) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0)))
            })
    }
}

/// Records what a registry reported about its disk.
private final class Told: Sendable {
    private let list = Mutex<[DiskTrouble?]>([])

    var troubles: [DiskTrouble?] { list.withLock { $0 } }

    func add(_ trouble: DiskTrouble?) { list.withLock { $0.append(trouble) } }
}
