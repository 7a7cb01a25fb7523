public import Backup
import Cluster
import Foundation
import Glibc
import Registry
package import SegmentLog
public import SensorModel

/// Backs up and restores state folders on the file system.
public enum BackupFolders {
    private static let stagingSuffix = ".restoring"

    /// - Parameters:
    ///   - state: State folder of a daemon, which may be running.
    ///   - folder: Folder of the backup; created if it is missing, readable only by its owner.
    ///   - now: Wall clock.
    /// - Returns: The copied files.
    /// - Throws: ``BackupError``, ``StateFolderError``, and errors of reading and writing.
    public static func backUp(
        _ state: StateFolder, to folder: String, at now: Timestamp
    ) throws -> StateBackup.Outcome {
        guard FileManager.default.fileExists(atPath: state.registry),
            FileManager.default.fileExists(atPath: state.log)
        else { throw BackupError.noState(folder: state.path) }
        guard try !isStandingBy(state) else { throw BackupError.standsBy }
        try create(folder)
        let target = PosixDisk(path: folder)
        let names = try target.list()
        guard names.allSatisfy(StateBackup.isOwn) else {
            throw BackupError.notABackup(folder: folder)
        }
        let ends = try RegistryStore.resultEnds(folder: state.path)
        return try StateBackup(
            log: PosixDisk(path: state.log), target: target,
            copyRegistry: {
                try copyRegistry(of: state, to: folder + "/" + $0, resultsUntil: ends)
            }
        ).run(at: now)
    }

    /// Whether a node that stands by in a cluster works on the folder now.
    private static func isStandingBy(_ state: StateFolder) throws -> Bool {
        guard try NodePosition.isOfStandby(on: PosixDisk(path: state.path)) else { return false }
        do throws(DiskError) {
            _ = try PosixDisk(path: state.log).lock(SegmentFormat.lockName)
            return false
        } catch {
            guard error.number == EWOULDBLOCK else { throw error }
            return true
        }
    }

    static func copyRegistry(
        of state: StateFolder, to path: String, resultsUntil ends: RegistryStore.ResultEnds? = nil
    ) throws {
        // SQLite keeps the mode of an existing file.
        let made = FileManager.default.createFile(
            atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        guard made else { throw StateFolderError.unusable(path: path, reason: "no file is made") }
        try RegistryStore.backUp(folder: state.path, to: path, resultsUntil: ends)
    }

    /// - Parameters:
    ///   - folder: Folder of a backup.
    ///   - state: Missing or empty folder; its owner also owns the restored files.
    /// - Returns: Segments and bytes restored.
    /// - Throws: ``BackupError``, ``StateFolderError``, and errors of reading and writing; the
    ///   state folder is unchanged then.
    public static func restore(
        _ folder: String, to state: StateFolder
    ) throws -> (segments: Int, bytes: Int) {
        try restore(folder, to: state, disk: { PosixDisk(path: $0) })
    }

    /// Restores a backup on disks that `disk` makes from folders.
    package static func restore(
        _ folder: String, to state: StateFolder, disk: @escaping (String) -> any Disk
    ) throws -> (segments: Int, bytes: Int) {
        let files = FileManager.default
        let place = URL(fileURLWithPath: state.path).standardizedFileURL
        let (parent, name) = (place.deletingLastPathComponent().path, place.lastPathComponent)
        let found = try? files.contentsOfDirectory(atPath: place.path)
        guard found?.isEmpty ?? true else { throw BackupError.notEmpty(folder: state.path) }
        let staging = parent + "/" + name + stagingSuffix
        // Remains of an interrupted restore.
        if files.fileExists(atPath: staging) { try files.removeItem(atPath: staging) }
        try create(staging)
        try create(staging + "/log")
        return try StateRestore(
            backup: disk(folder), state: disk(staging), log: disk(staging + "/log"),
            finish: {
                if found != nil { try giveOwner(of: place.path, to: staging) }
                // The rename also replaces an empty folder.
                try disk(parent).rename(name + stagingSuffix, to: name)
                try disk(parent).synchronizeNames()
            }
        ).run()
    }

    private static func create(_ folder: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw StateFolderError.unusable(
                path: folder, reason: (error as NSError).localizedDescription)
        }
    }

    /// Gives the restored files the folder's owner: root may restore for another user's daemon.
    private static func giveOwner(of folder: String, to staging: String) throws {
        let files = FileManager.default
        let attributes = try files.attributesOfItem(atPath: folder)
        let owner = attributes.filter {
            $0.key == .ownerAccountID || $0.key == .groupOwnerAccountID
        }
        let own = try files.attributesOfItem(atPath: staging)
        guard owner.contains(where: { own[$0.key] as? NSNumber != $0.value as? NSNumber }) else {
            return
        }
        for path in try files.subpathsOfDirectory(atPath: staging) {
            try files.setAttributes(owner, ofItemAtPath: staging + "/" + path)
        }
        try files.setAttributes(owner, ofItemAtPath: staging)
    }
}
