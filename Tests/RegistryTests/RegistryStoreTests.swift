import Foundation
import GRDB
import Testing

@testable import Registry
import SensorModel

@Suite struct RegistryStoreTests {
    @Test func `Only the owner can read the registry`() throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        let manager = FileManager.default
        let folder = try manager.attributesOfItem(atPath: scratch.folder)
        #expect(folder[.posixPermissions] as? Int == 0o700)
        let files = try manager.contentsOfDirectory(atPath: scratch.folder)
        // The database, its write-ahead log and index, and space for notes of revocations.
        #expect(files.count == 4)
        for file in files {
            let attributes = try manager.attributesOfItem(atPath: scratch.folder + "/" + file)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
    }

    @Test func `A registry of a later version is refused with a sentence`() throws {
        let scratch = try Scratch()
        try scratch.store.write { try $0.execute(sql: "PRAGMA user_version = 99") }
        let error = RegistryError.schemaIsNewer(
            found: 99, known: RegistrySchema.versions.count)
        #expect(throws: error) { try scratch.reopen() }
        #expect(error.description.contains("install the newer daemon"))
    }

    @Test func `Commits are synced in full, and what is deleted is overwritten`() throws {
        let scratch = try Scratch()
        let settings = try scratch.store.read { database in
            try ["synchronous", "secure_delete", "foreign_keys", "user_version"].map {
                try Int.fetchOne(database, sql: "PRAGMA \($0)")
            }
        }
        #expect(settings == [2, 1, 1, RegistrySchema.versions.count])
        let mode = try scratch.store.read {
            try String.fetchOne($0, sql: "PRAGMA journal_mode")
        }
        #expect(mode == "wal")
    }

    @Test func `What was committed is there after a crash`() throws {
        let scratch = try Scratch()
        for number in UInt8(1)...20 {
            try scratch.addDevice("watch \(number)", hash: number)
            // The disk's content at this moment, without a close or checkpoint.
            let copy = scratch.folder + "-\(number)"
            try FileManager.default.copyItem(atPath: scratch.folder, toPath: copy)
            defer { try? FileManager.default.removeItem(atPath: copy) }
            try FileManager.default.removeItem(atPath: copy + "/registry.sqlite-shm")
            #expect(try RegistryStore(folder: copy).devices().count == Int(number))
        }
    }

    @Test func `What is no registry is refused, and left as it is`() throws {
        let scratch = try Scratch()
        let text = Data("this is no database, whatever its name says\n".utf8)
        let folder = scratch.folder + "/other"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let url = URL(fileURLWithPath: folder + "/" + RegistryStore.fileName)
        try text.write(to: url)
        #expect(throws: RegistryError.self) { try RegistryStore(folder: folder) }
        #expect(try Data(contentsOf: url) == text)
        #expect(throws: RegistryError.folderNotCreated(path: "/proc/pulsecast")) {
            try RegistryStore(folder: "/proc/pulsecast")
        }
    }

    @Test func `A registry is made whole beside what a crash in its making left`() throws {
        let scratch = try Scratch()
        let folder = scratch.folder + "/first"
        let left = "registry.sqlite.\(ProcessInfo.processInfo.processIdentifier)"
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in [left, left + "-wal", left + "-journal"] {
            try Data("half of a registry".utf8)
                .write(to: URL(fileURLWithPath: folder + "/" + name))
        }
        let devices = try RegistryStore(folder: folder).devices()
        #expect(devices.isEmpty)
        let files = try manager.contentsOfDirectory(atPath: folder).sorted()
        #expect(files.first == "registry.sqlite" && !files.contains(left), "\(files)")
    }

    @Test func `A change that fails leaves nothing of itself`() throws {
        let scratch = try Scratch()
        try scratch.addDevice("watch")
        #expect(throws: RegistryError.self) {
            try scratch.addShare(
                "team", hash: 4, target: .group([ShareKey(rawValue: 50)]))
        }
        #expect(try scratch.store.shares().isEmpty)
    }

    @Test func `Results of sessions read back, are replaced, and are deleted`() throws {
        let scratch = try Scratch()
        let device = try scratch.addDevice("one").id
        var metrics = Metrics()
        metrics.state = .ended
        metrics.distanceMeters = 4312.7
        metrics.movingSeconds = 1432.1
        metrics.elapsedSeconds = 1500
        metrics.steps = 3890
        metrics.averageHeartRate = 147.1
        metrics.maxHeartRate = 171
        metrics.elevationGainMeters = 42
        metrics.effortKm = 4.7
        metrics.trainingLoad = TrainingLoad(hrTSS: 41.2, trimp: nil, edwards: nil)
        var results = (0..<1200).map { number in
            SessionResult(
                session: SessionID(high: UInt64(number), low: .max), device: device, epoch: .max,
                lastOffset: RecordOffset(rawValue: .max - UInt64(number)),
                metrics: number == 7 ? nil : metrics)
        }
        try scratch.store.putResults(results)
        results[5].lastOffset = RecordOffset(rawValue: 500)
        try scratch.store.putResults([results[5]])
        let sessions = results.map(\.session)
        let found = try scratch.store.results(of: sessions + [SessionID(high: 1, low: 1)])
        #expect(sessions.compactMap { found[$0] } == results && found.count == 1200)
        try scratch.store.deleteResults(of: Array(sessions.dropLast()))
        #expect(try scratch.store.results(of: sessions).values.map(\.session) == [sessions[1199]])
    }

    @Test func `A copy has no results of records that came after the log was copied`() throws {
        let scratch = try Scratch()
        let device = try scratch.addDevice("one").id
        func put(_ number: UInt64, epoch: UInt32, at offset: UInt64) throws -> SessionID {
            let session = SessionID(high: number, low: 1)
            try scratch.store.putResults([
                SessionResult(
                    session: session, device: device, epoch: epoch,
                    lastOffset: RecordOffset(rawValue: offset), metrics: nil)
            ])
            return session
        }
        let (old, grown) = (try put(1, epoch: 7, at: 20), try put(2, epoch: 7, at: 10))
        let ends = try RegistryStore.resultEnds(folder: scratch.folder)
        _ = try put(2, epoch: 7, at: 21)
        let (new, foreign) = (try put(3, epoch: 7, at: 22), try put(4, epoch: 8, at: 1))
        for (ends, expected) in [(ends, [old]), (nil, [old, grown, new, foreign])] {
            let copy = scratch.folder + "/copy"
            defer { try? FileManager.default.removeItem(atPath: copy) }
            try FileManager.default.createDirectory(
                atPath: copy, withIntermediateDirectories: true)
            try RegistryStore.backUp(
                folder: scratch.folder, to: copy + "/" + RegistryStore.fileName,
                resultsUntil: ends)
            let found = try RegistryStore(folder: copy).results(of: [old, grown, new, foreign])
            #expect(Set(found.keys) == Set(expected))
        }
    }

    @Test func `No result is kept of a device that is not registered`() throws {
        let scratch = try Scratch()
        let session = SessionID(high: 1, low: 2)
        try scratch.store.putResults([
            SessionResult(
                session: session, device: DeviceID(rawValue: 9), epoch: 1,
                lastOffset: RecordOffset(rawValue: 1), metrics: nil)
        ])
        #expect(try scratch.store.results(of: [session]).isEmpty)
    }

    @Test func `Used proofs are there after a restart, until they are out of every window`()
        throws
    {
        let scratch = try Scratch()
        let id = try scratch.addDevice("watch").id
        func used(_ number: UInt8) -> UsedProof {
            UsedProof(
                proof: Scratch.hash(number), device: id,
                sentAt: Scratch.now.advanced(bySeconds: Double(number) * 100))
        }
        for number in UInt8(1)...9 {
            try scratch.store.addProof(used(number), forgottenBefore: Scratch.now)
        }
        try scratch.reopen()
        #expect(Set(try scratch.store.snapshot().usedProofs) == Set((1...9).map(used)))
        try scratch.store.addProof(
            used(10), forgottenBefore: Scratch.now.advanced(bySeconds: 850))
        #expect(Set(try scratch.store.snapshot().usedProofs) == [used(9), used(10)])
    }

    @Test func `A course is kept, replaced and taken away`() throws {
        let scratch = try Scratch()
        let id = try scratch.addDevice("watch").id
        for name in ["Danube", "Prater"] {
            let course = StoredCourse(name: name, gpx: Array(name.utf8), changedAt: Scratch.now)
            try scratch.store.setCourse(course, of: id)
            #expect(try scratch.store.snapshot().courses == [id: course])
        }
        try scratch.store.setCourse(nil, of: id)
        #expect(try scratch.store.snapshot().courses.isEmpty)
    }
}
