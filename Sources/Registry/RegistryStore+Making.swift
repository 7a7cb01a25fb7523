import Foundation
import GRDB

extension RegistryStore {
    /// Creates an empty registry if there is none.
    ///
    /// It is filled under another name, and linked to its own when all of it is on disk. So a crash
    /// leaves no partial registry, and one sync suffices for all tables. If two daemons start for
    /// the first time together, one wins.
    ///
    /// - Parameters:
    ///   - path: Path of the registry. Its name is on disk once the folder is synced, at the latest
    ///     by the first commit of each run.
    ///   - folder: Created with its parents if missing, without permissions for group and others.
    /// - Throws: ``RegistryError``, SQLite's error, or Foundation's.
    static func makeFirst(_ path: String, in folder: String) throws {
        let manager = FileManager.default
        do {
            try manager.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw RegistryError.folderNotCreated(path: folder)
        }
        guard !manager.fileExists(atPath: path) else { return }
        let draft = "\(path).\(ProcessInfo.processInfo.processIdentifier)"
        // Leftover drafts are harmless, both this one and older ones.
        defer { try? manager.removeItem(atPath: draft) }
        try? manager.removeItem(atPath: draft)
        // The files beside a database (`-wal`, `-shm`) get its mode from SQLite.
        guard
            manager.createFile(
                atPath: draft, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw RegistryError.folderNotCreated(path: folder) }
        try fill(draft)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: draft))
        try file.synchronize()
        try file.close()
        do {
            try manager.linkItem(atPath: draft, toPath: path)
        } catch {
            // Another start may have been first; its registry is then used.
            guard manager.fileExists(atPath: path) else { throw error }
        }
    }

    /// Creates all tables and turns the write-ahead log on. It does not sync, because the draft is
    /// not read before it is complete.
    private static func fill(_ draft: String) throws {
        let queue = try DatabaseQueue(path: draft)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = OFF")
            try database.execute(sql: "PRAGMA journal_mode = MEMORY")
            try database.inTransaction {
                try RegistrySchema.migrate(database)
                return .commit
            }
            try database.execute(sql: "PRAGMA journal_mode = WAL")
        }
        try queue.close()
    }
}
