import Bytes
import Glibc
public import SegmentLog
public import SensorModel

/// Writes a backup of a state folder, with or without a running daemon. Blocks on the disk.
///
///     FOLDER/backup.json                    decides: names every file below, with its checksum
///            000000000001.segment-1a2b3c4d  a sealed segment, copied once
///            registry.sqlite-5e6f7a8b       SQLite's online backup
///
/// The log is copied before the registry, so the registry holds the device of every copied session.
/// A device deleted meanwhile is the exception: its sessions have no owner.
public struct StateBackup {
    /// Maximum number of attempts. Each copies only what has changed since the one before.
    private static let attemptsMax = 20
    private static let registryName = "registry.sqlite"
    private static let lockName = "lock"

    private let log: any Disk
    private let target: any Disk
    private let copyRegistry: (_ name: String) throws -> Void

    /// Result of a backup.
    public struct Outcome: Hashable, Sendable, Encodable {
        package init() {}

        public var segments = 0
        public var segmentsCopied = 0
        /// Size of the whole backup.
        public var bytes = 0
        public var bytesCopied = 0
    }

    /// - Parameters:
    ///   - log: Folder of segments.
    ///   - target: Folder of the backup: empty, or with an older backup.
    ///   - copyRegistry: Writes a copy of the registry into the target, under the given name.
    public init(
        log: any Disk, target: any Disk, copyRegistry: @escaping (_ name: String) throws -> Void
    ) {
        // Without the overlay the copy could contain a half-erased segment.
        self.log = OverlayDisk(log)
        self.target = target
        self.copyRegistry = copyRegistry
    }

    /// - Parameter now: Wall clock.
    /// - Returns: The copied files.
    /// - Throws: ``BackupError``, ``SegmentLogError``, ``DiskError``, and errors of copying the
    ///   registry. The folder then holds the older backup, or the new one if only the removal of
    ///   older files failed.
    public func run(at now: Timestamp) throws -> Outcome {
        let older = try BackupManifest.read(from: target)
        // The lock is held to the end, or until the process ends.
        let lock: any DiskFile
        do throws(DiskError) { lock = try target.lock(Self.lockName) } catch {
            throw error.number == EWOULDBLOCK ? BackupError.inUse as any Error : error
        }
        defer { withExtendedLifetime(lock) {} }
        var outcome = Outcome()
        let segments = try copyLog(older: older, &outcome)
        let registry = try copyRegistry(&outcome)
        let manifest = BackupManifest(
            madeAt: now, log: segments, registry: registry)
        try target.synchronizeNames()
        try write(manifest)
        try removeOthers(than: manifest)
        outcome.segments = segments.count
        outcome.bytes = manifest.files.reduce(0) { $0 + $1.bytes }
        return outcome
    }

    // MARK: The log

    /// Copies all segments. If one is erased from or removed during the copy, all are examined
    /// again.
    private func copyLog(
        older: BackupManifest?, _ outcome: inout Outcome
    ) throws -> [BackupManifest.File] {
        var known = Dictionary(
            (older?.log ?? []).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let stored = Set(try target.list())
        for _ in 1...Self.attemptsMax {
            let files = try LogReader(disk: log).files()
            for file in files where !isKnown(file, in: known) {
                // The older copy no longer matches the segment.
                known[file.name] = nil
                if let whole = try leftover(of: file, among: stored) {
                    known[file.name] = whole
                    continue
                }
                guard let copied = try copy(file) else { break }
                known[file.name] = copied
                outcome.segmentsCopied += 1
                outcome.bytesCopied += copied.bytes
            }
            let now = try LogReader(disk: log).files()
            guard isUnchanged(files, now) else { continue }
            let segments = files.compactMap { known[$0.name] }
            if segments.count == files.count { return segments }
        }
        throw BackupError.keepsChanging
    }

    /// Whether the copies are still valid. An open segment may have grown or been sealed: the copy
    /// is still its beginning.
    private func isUnchanged(_ files: [LogFile], _ now: [LogFile]) -> Bool {
        let current = Dictionary(now.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return files.allSatisfy { file in
            guard let found = current[file.name] else { return false }
            guard !file.isSealed else { return found == file }
            // An erasure replaces the file, which changes its fingerprint.
            let fingerprint = try? LogReader.fingerprint(
                of: file.name, bytes: file.bytes, on: log)
            return found.bytes >= file.bytes && fingerprint == file.fingerprint
        }
    }

    private func isKnown(_ file: LogFile, in known: [String: BackupManifest.File]) -> Bool {
        guard file.isSealed, let older = known[file.name] else { return false }
        return older.fingerprint == file.fingerprint && older.bytes == file.bytes
    }

    /// Finds the copy of a sealed segment that an interrupted backup finished. Only whole, synced
    /// and compared copies have such names.
    ///
    /// - Returns: The copy; `nil` if there is none or an erasure has changed the segment.
    private func leftover(
        of file: LogFile, among stored: Set<String>
    ) throws -> BackupManifest.File? {
        guard file.isSealed else { return nil }
        for name in stored {
            guard let checksum = Self.checksum(inName: name, of: file.name),
                try target.open(name, .read).size() == file.bytes,
                try LogReader.fingerprint(of: name, bytes: file.bytes, on: target)
                    == file.fingerprint
            else { continue }
            return BackupManifest.File(
                name: file.name, stored: name, bytes: file.bytes, checksum: checksum,
                fingerprint: file.fingerprint)
        }
        return nil
    }

    /// - Returns: `nil`: the segment was replaced or removed.
    private func copy(_ file: LogFile) throws -> BackupManifest.File? {
        do {
            let copied = try FileCopy(source: log, target: target).copy(
                file.name, bytes: file.bytes
            ) { checksum in
                // An erasure changes the fingerprint, or replaces the file and fills this one with
                // zeros.
                try LogReader.fingerprint(of: file.name, bytes: file.bytes, on: log)
                    == file.fingerprint ? Self.stored(file.name, checksum) : nil
            }
            guard let copied else { return nil }
            return BackupManifest.File(
                name: file.name, stored: copied.stored, bytes: file.bytes,
                checksum: copied.checksum, fingerprint: file.isSealed ? file.fingerprint : nil)
        } catch let error as DiskError where error.number == ENOENT && error.call == .open {
            return nil
        } catch let error as BackupError where error == .damaged(file: file.name) {
            // The file has become shorter: an erasure has replaced it.
            guard try LogReader(disk: log).files().contains(file) else { return nil }
            throw error
        }
    }

    // MARK: The registry and the end

    private func copyRegistry(_ outcome: inout Outcome) throws -> BackupManifest.File {
        let temporary = Self.registryName + FileCopy.temporarySuffix
        try FileCopy.removeIfThere(temporary, on: target)
        try copyRegistry(temporary)
        let file = try target.open(temporary, .write)
        try file.synchronize()
        let bytes = try file.size()
        guard let checksum = try FileCopy.checksum(of: temporary, bytes: bytes, on: target) else {
            throw BackupError.damaged(file: temporary)
        }
        let stored = Self.stored(Self.registryName, checksum)
        try target.rename(temporary, to: stored)
        outcome.bytesCopied += bytes
        return BackupManifest.File(
            name: Self.registryName, stored: stored, bytes: bytes, checksum: checksum)
    }

    private func write(_ manifest: BackupManifest) throws {
        let temporary = BackupManifest.fileName + FileCopy.temporarySuffix
        try FileCopy.removeIfThere(temporary, on: target)
        let file = try target.open(temporary, .create)
        let bytes = manifest.text
        try file.writeAll(bytes.span, at: 0)
        try file.synchronize()
        try target.rename(temporary, to: BackupManifest.fileName)
        try target.synchronizeNames()
    }

    /// Removes files of older and of interrupted backups. This also removes sessions that were
    /// erased since.
    private func removeOthers(than manifest: BackupManifest) throws {
        let kept = Set(manifest.files.map(\.stored) + [BackupManifest.fileName, Self.lockName])
        for name in try target.list() where !kept.contains(name) && Self.isOwn(name) {
            try FileCopy.removeIfThere(name, on: target)
        }
        try target.synchronizeNames()
    }

    /// Whether the name is one of a backup's files.
    package static func isOwn(_ name: String) -> Bool {
        name.contains(".segment") || name.hasPrefix(registryName)
            || name.hasPrefix(BackupManifest.fileName) || name == lockName
    }

    private static func stored(_ name: String, _ checksum: UInt32) -> String {
        "\(name)-\(Hexadecimal.text(of: checksum))"
    }

    /// - Returns: The checksum in the name of a copy of `original`; `nil` for any other name.
    private static func checksum(inName name: String, of original: String) -> UInt32? {
        guard name.hasPrefix(original + "-"),
            let checksum = UInt32(name.dropFirst(original.count + 1), radix: 16)
        else { return nil }
        return stored(original, checksum) == name ? checksum : nil
    }
}
