/// Reason for which a backup or a restore failed.
public enum BackupError: Error, Hashable, Sendable {
    case unreadableManifest
    case newer(version: Int64)
    /// The folder holds something else.
    case notABackup(folder: String)
    case notEmpty(folder: String)
    case noState(folder: String)
    /// Segments were erased or removed during each attempt to copy them.
    case keepsChanging
    /// The content read back differs from the content written.
    case damaged(file: String)
    case inUse
    /// The folder is that of a cluster's node that does not lead.
    case standsBy
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
        case .standsBy: "this node of a cluster stands by: make the backup on the one that leads"
        }
    }
}
