import Backup
import Foundation
import Glibc
import Registry
import SegmentLog
import SensorModel
import Testing
import Transport

@testable import Runtime
@testable import Daemon

/// Backups of a state folder, whole and interrupted.
@Suite(.serialized) struct BackupTests {
    private static func session(_ number: Int) -> SessionID {
        SessionID(high: UInt64(number + 1) << 32, low: 1 << 63)
    }

    private static func sessions(in state: StateFolder) throws -> Set<SessionID> {
        Set(try LogReader(disk: PosixDisk(path: state.log)).sessions().map(\.session))
    }

    /// - Returns: The sessions in a log that is restored into a temporary folder.
    private static func restored(_ backup: String) throws -> Set<SessionID> {
        try Scratch.run { scratch in
            let state = StateFolder(configured: scratch + "/state", environment: [:])
            _ = try BackupFolders.restore(backup, to: state)
            let devices = try RegistryStore(folder: state.path).devices()
            #expect(devices.map(\.name) == ["alice"])
            return try sessions(in: state)
        }
    }

    private struct Scratch {
        static func run<Result>(_ body: (String) throws -> Result) throws -> Result {
            let folder = NSTemporaryDirectory() + "pb-\(UInt32.random(in: 0 ... .max))"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            return try body(folder)
        }
    }

    /// Backs up a state folder with one session, then erases that session and adds another.
    private static func twoStates(in folder: String) async throws -> StateFolder {
        var state = StateFolder(configured: folder + "/state", environment: [:])
        try await RunningDaemon.again(in: state.path) { running in
            let token = try running.addDevice("alice")
            try await running.sendHeartRates([120], token: token, session: session(0))
            try await running.sendHeartRates([121], token: token, session: session(1))
            let done = try BackupFolders.backUp(state, to: folder + "/old", at: WallClock.now())
            #expect(done.segments == done.segmentsCopied && done.segments > 0)
        }
        try await RunningDaemon.again(in: state.path) { running in
            state = StateFolder(configured: state.path, environment: [:])
            let token = try running.daemon.administration.rotateDevice(named: "alice").token
            try await running.sendHeartRates([122], token: token, session: session(2))
            _ = try await running.daemon.administration.deleteSession(session(0))
        }
        return state
    }

    @Test func `A backup beside a running daemon is restored, and the next copies what is new`()
        async throws
    {
        let folder = NSTemporaryDirectory() + "pb-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let state = try await Self.twoStates(in: folder)
        let backup = folder + "/old"
        #expect(try Self.restored(backup) == [Self.session(0), Self.session(1)])
        let second = try BackupFolders.backUp(state, to: backup, at: WallClock.now())
        #expect(try Self.restored(backup) == [Self.session(1), Self.session(2)])
        let third = try BackupFolders.backUp(state, to: backup, at: WallClock.now())
        #expect(second.segmentsCopied > 0 && third.segmentsCopied == 0)
        #expect(third.bytes == second.bytes)
        // The backup holds nothing of the erased session.
        let erased = Data([0, 0, 0, 1, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0])
        for name in try FileManager.default.contentsOfDirectory(atPath: backup) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: backup + "/" + name))
            #expect(bytes.range(of: erased) == nil, "\(name)")
        }
        // A daemon can continue from the restored folder.
        let new = StateFolder(configured: folder + "/restored", environment: [:])
        _ = try BackupFolders.restore(backup, to: new)
        try await RunningDaemon.again(in: new.path) { running in
            #expect(try await running.admin(.get, "/sessions").list.count == 2)
            let findings = try DoctorThresholds.agreement(running.daemon.administration.agreement())
            #expect(findings.map(\.verdict) == [.fine])
        }
    }

    @Test func `A backup that is killed at any moment leaves the old one or the new one`()
        async throws
    {
        let folder = NSTemporaryDirectory() + "pb-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let state = try await Self.twoStates(in: folder)
        let (old, new): (Set<SessionID>, Set<SessionID>) = (
            [Self.session(0), Self.session(1)], [Self.session(1), Self.session(2)]
        )
        var outcomes: [Set<SessionID>] = []
        for calls in 0..<500 {
            let copy = folder + "/copy"
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: folder + "/old", toPath: copy)
            let disk = MortalDisk(PosixDisk(path: copy), calls: calls)
            let backup = StateBackup(
                log: PosixDisk(path: state.log), target: disk,
                copyRegistry: {
                    try disk.life.spend()
                    try BackupFolders.copyRegistry(of: state, to: copy + "/" + $0)
                })
            let isWhole = (try? backup.run(at: WallClock.now())) != nil
            outcomes.append(try Self.restored(copy))
            #expect(outcomes.last == old || outcomes.last == new, "after \(calls) calls")
            // Leftovers of an interrupted backup do not block the next one.
            _ = try BackupFolders.backUp(state, to: copy, at: WallClock.now())
            #expect(try Self.restored(copy) == new, "after \(calls) calls")
            if isWhole { break }
        }
        #expect(outcomes.count > 15 && outcomes.first == old && outcomes.last == new)
    }

    /// Runs a first backup that is killed after `calls` calls.
    private static func killed(_ calls: Int, _ state: StateFolder, to folder: String) throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let disk = MortalDisk(PosixDisk(path: folder), calls: calls)
        let backup = StateBackup(
            log: PosixDisk(path: state.log), target: disk,
            copyRegistry: { _ in throw DiskError(call: .write, name: "killed", number: EIO) })
        #expect(throws: DiskError.self) { try backup.run(at: WallClock.now()) }
    }

    @Test func `What a killed backup has finished is not copied again`() async throws {
        let folder = NSTemporaryDirectory() + "pb-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let state = try await Self.twoStates(in: folder)
        let backup = folder + "/new"
        var counts: Set<Int> = []
        for calls in 0..<40 {
            try Self.killed(calls, state, to: backup)
            let finished = try FileManager.default.contentsOfDirectory(atPath: backup)
                .count { $0.contains(".segment-") && !$0.hasSuffix(".partial") }
            counts.insert(finished)
            let done = try BackupFolders.backUp(state, to: backup, at: WallClock.now())
            #expect(done.segmentsCopied == done.segments - finished, "after \(calls) calls")
            #expect(try Self.restored(backup) == [Self.session(1), Self.session(2)])
        }
        #expect(counts == [0, 1, 2])
    }

    @Test func `What was erased after a killed backup is in no copy of the next`() async throws {
        let folder = NSTemporaryDirectory() + "pb-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let state = try await Self.twoStates(in: folder)
        let backup = folder + "/new"
        try Self.killed(40, state, to: backup)
        try await RunningDaemon.again(in: state.path) { running in
            _ = try await running.daemon.administration.deleteSession(Self.session(1))
        }
        _ = try BackupFolders.backUp(state, to: backup, at: WallClock.now())
        #expect(try Self.restored(backup) == [Self.session(2)])
        let erased = Data([0, 0, 0, 2, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0])
        for name in try FileManager.default.contentsOfDirectory(atPath: backup) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: backup + "/" + name))
            #expect(bytes.range(of: erased) == nil, "\(name)")
        }
    }

    @Test func `A restore that is killed at any moment leaves all or nothing`() async throws {
        let folder = NSTemporaryDirectory() + "pb-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await Self.twoStates(in: folder)
        for isThere in [false, true] {
            var moments = 0
            for calls in 0..<500 {
                let state = StateFolder(configured: folder + "/target", environment: [:])
                try? FileManager.default.removeItem(atPath: state.path)
                if isThere {
                    try state.create(); try FileManager.default.removeItem(atPath: state.log)
                }
                let life = MortalDisk.Life(calls: calls)
                let isWhole =
                    (try? BackupFolders.restore(
                        folder + "/old", to: state,
                        disk: { MortalDisk(PosixDisk(path: $0), life: life) })) != nil
                let found = try? FileManager.default.contentsOfDirectory(atPath: state.path)
                if let found, !found.isEmpty {
                    #expect(try Self.sessions(in: state) == [Self.session(0), Self.session(1)])
                    #expect(try RegistryStore(folder: state.path).devices().count == 1)
                } else {
                    #expect(!isWhole && (found != nil) == isThere)
                }
                moments += 1
                if isWhole { break }
            }
            #expect(moments > 8)
        }
    }

    @Test func `A changed byte in a backup is found, and nothing is restored`() async throws {
        let folder = NSTemporaryDirectory() + "pb-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await Self.twoStates(in: folder)
        let backup = folder + "/old"
        let names = try FileManager.default.contentsOfDirectory(atPath: backup)
        for name in names where name.contains("segment-") || name.hasPrefix("registry") {
            let url = URL(fileURLWithPath: backup + "/" + name)
            let bytes = try Data(contentsOf: url)
            var changed = bytes
            changed[changed.count / 2] ^= 1
            try changed.write(to: url)
            let state = StateFolder(configured: folder + "/target", environment: [:])
            #expect(throws: BackupError.damaged(file: name)) {
                try BackupFolders.restore(backup, to: state)
            }
            #expect(!FileManager.default.fileExists(atPath: state.path))
            try bytes.write(to: url)
        }
    }

    @Test func `Nothing is overwritten that is no backup, and no state folder that is one`()
        async throws
    {
        let folder = NSTemporaryDirectory() + "pb-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let state = try await Self.twoStates(in: folder)
        #expect(throws: BackupError.notEmpty(folder: state.path)) {
            try BackupFolders.restore(folder + "/old", to: state)
        }
        #expect(throws: BackupError.notABackup(folder: folder)) {
            try BackupFolders.backUp(state, to: folder, at: WallClock.now())
        }
        let none = StateFolder(configured: folder + "/none", environment: [:])
        #expect(throws: BackupError.noState(folder: none.path)) {
            try BackupFolders.backUp(none, to: folder + "/new", at: WallClock.now())
        }
    }
}
