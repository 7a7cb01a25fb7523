public import SegmentLog

/// Makes a state folder from a backup. Blocks on the disk.
///
/// Everything is written to a folder beside it, which is renamed once all of it is on disk.
public struct StateRestore {
    private let backup: any Disk
    private let registry: any Disk
    private let log: any Disk
    private let finish: () throws -> Void

    /// - Parameters:
    ///   - backup: Folder of the backup.
    ///   - state: New folder, which becomes the state folder.
    ///   - log: Folder of segments in it.
    ///   - finish: Gives the new folder its final name.
    public init(
        backup: any Disk, state: any Disk, log: any Disk, finish: @escaping () throws -> Void
    ) {
        self.backup = backup
        registry = state
        self.log = log
        self.finish = finish
    }

    /// - Returns: Segments and bytes restored.
    /// - Throws: ``BackupError``, ``DiskError``; no state folder exists then.
    public func run() throws -> (segments: Int, bytes: Int) {
        guard let manifest = try BackupManifest.read(from: backup) else {
            throw BackupError.unreadableManifest
        }
        for file in manifest.log { try restore(file, to: log) }
        try SegmentLog.markRestored(log)
        try restore(manifest.registry, to: registry)
        try log.synchronizeNames()
        try registry.synchronizeNames()
        try finish()
        return (manifest.log.count, manifest.files.reduce(0) { $0 + $1.bytes })
    }

    private func restore(_ file: BackupManifest.File, to target: any Disk) throws {
        _ = try FileCopy(source: backup, target: target).copy(
            file.stored, bytes: file.bytes
        ) { checksum in
            guard checksum == file.checksum else { throw BackupError.damaged(file: file.stored) }
            return file.name
        }
    }
}
