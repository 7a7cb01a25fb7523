import FaultyDisk
import SegmentLog
import SensorModel
import Synchronization
import Testing

@testable import Backup

/// Backups and restores on disks that lose power.
@Suite struct StateBackupTests {
    private static let start = Timestamp(microseconds: 1_760_000_000_000_000)
    private static let session = SessionID(high: 1, low: 1 << 63)

    /// A log with a few segments.
    private struct Source {
        let disk = SimulatedDisk()
        let log: SegmentLog
        private var appended: UInt32 = 0

        init() throws {
            log = try SegmentLog.open(
                disk: disk,
                configuration: LogConfiguration(segmentBytesMax: 4096, reserveBytes: 0),
                now: start)
            let payload: [UInt8] = [1]
            _ = log.appendSession(
                session, device: DeviceID(rawValue: 1), deviceTime: start, arrivalTime: start,
                payload: payload.span)
        }

        mutating func append(_ count: Int) {
            for _ in 0..<count {
                appended += 1
                let time = start.advanced(byMicroseconds: Int64(appended) * 1000)
                let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: appended), count: 100)
                _ = log.append(
                    .frame(.marker), session: session, device: DeviceID(rawValue: 1),
                    sequence: FrameSequence(rawValue: appended), deviceTime: time,
                    arrivalTime: time, payload: payload.span)
            }
            log.syncAppended()
        }
    }

    private static let registryName = "registry.sqlite"

    private static func backUp(_ log: SimulatedDisk, to target: SimulatedDisk, _ registry: String)
        throws -> StateBackup.Outcome
    {
        try StateBackup(log: log, target: target) { name in
            try target.open(name, .create).writeAll(Array(registry.utf8).span, at: 0)
        }.run(at: start)
    }

    /// - Returns: The number of frames and the registry content that a restore of the backup gives.
    private static func restored(_ backup: SimulatedDisk) throws -> (frames: Int, registry: String)
    {
        let (log, state) = (SimulatedDisk(), SimulatedDisk())
        _ = try StateRestore(backup: backup, state: state, log: log, finish: {}).run()
        let opened = try SegmentLog.open(
            disk: log, configuration: LogConfiguration(reserveBytes: 0), now: start)
        var next: UInt32 = 1
        try opened.reader().read(from: RecordOffset(rawValue: 0)) { header, _ in
            guard case .frame = header.type else { return true }
            #expect(header.sequence.rawValue == next)
            next += 1
            return true
        }
        #expect(try opened.reader().verify().damaged.isEmpty)
        return (Int(next) - 1, String(decoding: state.content(of: registryName), as: UTF8.self))
    }

    @Test func `A segment that retention removes while the log is listed is left out`() throws {
        var source = try Source()
        source.append(100)
        let reader = try LogReader(disk: source.disk)
        let files = try reader.files()
        #expect(files.count > 2)
        try source.disk.remove(files[0].name)
        #expect(try reader.files() == Array(files.dropFirst()))
    }

    /// The backup may be reading the start of a file, its index, its records, or an incomplete
    /// erasure (read before any segment is opened).
    @Test func `A read that fails leaves no record out of a backup`() throws {
        var source = try Source()
        source.append(100)
        try source.disk.open("000000000001.erasure", .create).writeAll([0, 0, 0, 0].span, at: 0)
        for read in 0..<80 {
            let target = SimulatedDisk()
            source.disk.state.withLock { $0.readsUntilFault = read }
            do {
                _ = try Self.backUp(source.disk, to: target, "new")
            } catch {
                // An error is acceptable too: nothing counts as backed up.
                source.disk.state.withLock { $0.readsUntilFault = nil }
                continue
            }
            source.disk.state.withLock { $0.readsUntilFault = nil }
            #expect(try Self.restored(target).frames == 100, "read \(read)")
        }
    }

    @Test func `Records that cannot be read make a backup fail, not shorter`() throws {
        var source = try Source()
        source.append(100)
        let newest = try #require(try source.disk.list().filter { $0.hasSuffix(".segment") }.max())
        let bytes = source.disk.content(of: newest).count
        source.disk.state.withLock { $0.unreadable[newest] = (bytes - 50)..<bytes }
        let target = SimulatedDisk()
        #expect(throws: (any Error).self) {
            try Self.backUp(source.disk, to: target, "new")
        }
        source.disk.state.withLock { $0.unreadable = [:] }
        _ = try Self.backUp(source.disk, to: target, "new")
        #expect(try Self.restored(target).frames == 100)
    }

    @Test func `A power loss at any call leaves the old backup or the new one`() throws {
        var source = try Source()
        source.append(100)
        let old = SimulatedDisk()
        _ = try Self.backUp(source.disk, to: old, "old")
        source.append(100)
        var random = SplitMix(state: 7)
        var seen: Set<String> = []
        var isWhole = false
        var call = 0
        while !isWhole {
            let target = old.killed()
            target.fail(
                SimulatedDisk.Fault(
                    kind: .inputOutput, call: target.calls + call, isForEver: true))
            do {
                _ = try Self.backUp(source.disk, to: target, "new")
                isWhole = true
            } catch {
                // The simulated machine loses power at this call.
            }
            let found = try Self.restored(target.crashed(&random))
            seen.insert(found.registry)
            #expect(found.registry == "old" && found.frames == 100 || found == (200, "new"))
            if isWhole { #expect(found == (200, "new")) }
            call += 1
        }
        #expect(call > 20)
        #expect(seen == ["old", "new"])
    }

    @Test func `A restored log gives no offset that the lost one has given`() throws {
        var source = try Source()
        source.append(10)
        let backup = SimulatedDisk()
        _ = try Self.backUp(source.disk, to: backup, "registry")
        source.append(10)
        source.log.close()
        var disk = source.disk
        var random = SplitMix(state: 3)
        // Each start without an orderly end moves the next offset further ahead of the clock.
        for _ in 0..<100 {
            disk = disk.crashed(&random)
            _ = try SegmentLog.open(
                disk: disk, configuration: LogConfiguration(reserveBytes: 0), now: Self.start)
        }
        let lost = try SegmentLog.open(
            disk: disk.crashed(&random), configuration: LogConfiguration(reserveBytes: 0),
            now: Self.start)
        var given: [RecordOffset] = [lost.nextOffset]
        for drawn: UInt32 in [1, 2] {
            let log = SimulatedDisk()
            _ = try StateRestore(backup: backup, state: SimulatedDisk(), log: log, finish: {}).run()
            var next: [RecordOffset] = []
            for _ in 1...2 {
                let restored = try SegmentLog.open(
                    disk: log,
                    configuration: LogConfiguration(reserveBytes: 0, newEpoch: drawn << 16),
                    now: Self.start)
                next.append(restored.nextOffset)
                restored.close()
            }
            // Only the first start of a restored log skips offsets.
            #expect(next[0] == next[1])
            #expect(!given.contains(next[0]) && next[0] > lost.nextOffset)
            given.append(next[0])
        }
    }

    @Test func `A segment that is replaced while it is copied is copied again`() throws {
        var source = try Source()
        let other = SessionID(high: 2, low: 1 << 63)
        _ = source.log.appendSession(
            other, device: DeviceID(rawValue: 2), deviceTime: Self.start, arrivalTime: Self.start,
            payload: [UInt8(1)].span)
        source.append(5)
        let backup = SimulatedDisk()
        _ = try Self.backUp(source.disk, to: backup, "registry")
        source.append(10)
        let log = source.log
        let hasErased = Mutex(false)
        backup.state.withLock {
            $0.duringWrite = {
                guard
                    !hasErased.withLock({ done in
                        defer { done = true }; return done
                    })
                else { return }
                _ = try? log.erase([other])
                for number in 1...20 {
                    let time = Self.start.advanced(byMicroseconds: 1_000_000 + Int64(number))
                    _ = log.append(
                        .event, session: Self.session, device: DeviceID(rawValue: 1),
                        sequence: FrameSequence(rawValue: 0), deviceTime: time, arrivalTime: time,
                        payload: [UInt8](repeating: 0, count: 60).span)
                }
                log.syncAppended()
            }
        }
        _ = try Self.backUp(source.disk, to: backup, "registry")
        #expect(hasErased.withLock { $0 })
        #expect(try Self.restored(backup).frames == 15)
    }

    /// The shrinking segment is not a sign of a failing disk.
    @Test func `A segment that becomes shorter while others are copied is copied again`() throws {
        var source = try Source()
        source.append(40)
        let other = SessionID(high: 2, low: 1 << 63)
        for number in 0..<60 {
            let time = Self.start.advanced(byMicroseconds: 1_000_000 + Int64(number))
            _ = source.log.append(
                .event, session: other, device: DeviceID(rawValue: 2),
                sequence: FrameSequence(rawValue: 0), deviceTime: time, arrivalTime: time,
                payload: [UInt8](repeating: 0, count: 100).span)
        }
        source.append(40)
        let (log, backup) = (source.log, SimulatedDisk())
        let erased = Mutex(0)
        backup.state.withLock {
            $0.duringWrite = {
                guard erased.withLock({ $0 == 0 }) else { return }
                let bytes = (try? log.erase([other]))?.bytes ?? 0
                erased.withLock { $0 = max(1, bytes) }
            }
        }
        _ = try Self.backUp(source.disk, to: backup, "registry")
        #expect(erased.withLock { $0 } > 4000)
        #expect(try Self.restored(backup).frames == 80)
    }

    @Test func `The next backup copies only what is new`() throws {
        var source = try Source()
        source.append(100)
        let target = SimulatedDisk()
        let first = try Self.backUp(source.disk, to: target, "old")
        source.append(20)
        let second = try Self.backUp(source.disk, to: target, "new")
        #expect(first.segmentsCopied == first.segments && first.segments > 1)
        #expect(second.segmentsCopied < first.segments)
        #expect(try Self.restored(target) == (120, "new"))
    }

    @Test(arguments: [
        #"{"version":1,"log":[],"registry":{"name":"../r","stored":"r","bytes":1,"checksum":1},"madeAt":1}"#,
        #"{"version":1,"log":[],"registry":{"name":"r","stored":"a/r","bytes":1,"checksum":1},"madeAt":1}"#,
        #"{"version":1,"log":[],"registry":{"name":"r","stored":"r","bytes":-1,"checksum":1},"madeAt":1}"#,
        #"{"version":1,"log":[{"name":"s"}],"registry":{"name":"r","stored":"r","bytes":1,"checksum":1},"madeAt":1}"#,
        #"{"version":1,"log":[],"madeAt":1}"#, "", "[]",
    ])
    func `A manifest that lacks something or leads out of its folder is not followed`(
        text: String
    ) {
        #expect(throws: BackupError.unreadableManifest) { try BackupManifest(Array(text.utf8)) }
    }

    @Test func `A manifest of a later version is named as such`() {
        #expect(throws: BackupError.newer(version: 2)) {
            try BackupManifest(Array(#"{"version":2}"#.utf8))
        }
    }

    /// Earlier versions wrote the manifest on several lines, and its time with more digits.
    @Test func `A manifest is read as it was written, and as it always was`() throws {
        let registry = BackupManifest.File(
            name: "registry.sqlite", stored: "registry.sqlite-0000000a", bytes: 3, checksum: 10)
        let segment = BackupManifest.File(
            name: "1.segment", stored: "1.segment-0000000b", bytes: 4096, checksum: .max,
            fingerprint: 12)
        let manifest = BackupManifest(madeAt: Self.start, log: [segment], registry: registry)
        #expect(try BackupManifest(manifest.text) == manifest)
        let earlier = """
            {
              "log" : [
                {
                  "bytes" : 4096,
                  "checksum" : 4294967295,
                  "fingerprint" : 12,
                  "name" : "1.segment",
                  "stored" : "1.segment-0000000b"
                }
              ],
              "madeAt" : 1760000000.0000000,
              "registry" : {
                "bytes" : 3,
                "checksum" : 10,
                "name" : "registry.sqlite",
                "stored" : "registry.sqlite-0000000a"
              },
              "version" : 1
            }
            """
        #expect(try BackupManifest(Array(earlier.utf8)) == manifest)
    }
}
