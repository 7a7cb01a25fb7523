import Foundation
import Glibc
import SegmentLog

/// The files of a backup. This file alone defines the backup, and a rename replaces it. So after
/// any interruption the backup is either the old one or the new one.
struct BackupManifest: Codable, Hashable, Sendable {
    static let fileName = "backup.json"
    static let versionKnown = 1

    struct File: Codable, Hashable, Sendable {
        /// Name of a segment or of the registry in the state folder.
        var name: String
        /// Name in the backup: the original name and the checksum, so different contents never
        /// collide.
        var stored: String
        var bytes: Int
        /// CRC-32C.
        var checksum: UInt32
        /// Fingerprint of a sealed segment, which identifies it without reading; `nil` for other
        /// files.
        var fingerprint: UInt32?
    }

    var version = Self.versionKnown
    /// Seconds since 1970.
    var madeAt: Double
    /// Segments, oldest first.
    var log: [File]
    var registry: File

    var files: [File] { log + [registry] }

    /// - Returns: `nil` if the folder holds no backup.
    /// - Throws: ``DiskError``, ``BackupError``
    static func read(from disk: any Disk) throws -> Self? {
        let file: any DiskFile
        do throws(DiskError) { file = try disk.open(fileName, .read) } catch {
            guard error.number == ENOENT else { throw error }
            return nil
        }
        let bytes = try file.readUp(to: try file.size(), at: 0)
        guard let manifest = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
            throw BackupError.unreadableManifest
        }
        guard manifest.version <= versionKnown else {
            throw BackupError.newer(version: manifest.version)
        }
        return manifest
    }

    func bytes() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}

/// Reason for which a backup or a restore failed.
public enum BackupError: Error, Hashable, Sendable {
    case unreadableManifest
    case newer(version: Int)
    /// The folder holds something else.
    case notABackup(folder: String)
    case notEmpty(folder: String)
    case noState(folder: String)
    /// Segments were erased or removed during each attempt to copy them.
    case keepsChanging
    /// The content read back differs from the content written.
    case damaged(file: String)
    case inUse
}

extension BackupError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadableManifest:
            "backup.json of the backup cannot be read: make a new backup into another folder"
        case .newer(let version):
            "the backup has version \(version), written by a later Pulsecast: use that one"
        case .notABackup(let folder):
            "\(folder) holds something that is no backup: name a new folder, or that of a backup"
        case .notEmpty(let folder):
            "\(folder) is not empty: move what is in it away, a restore replaces nothing"
        case .noState(let folder):
            "there is no registry in \(folder): name the daemon's state folder with --state"
        case .keepsChanging: "the log changes faster than it can be copied: try again later"
        case .damaged(let file):
            "\(file) is not as it was written: the disk fails, or somebody has changed it"
        case .inUse: "another backup into this folder is running"
        }
    }
}
