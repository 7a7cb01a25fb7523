import Foundation
import GRDB

extension RegistryStore {
    /// Makes an empty registry where there is none, under another name first: it gets its own when
    /// all of it is on disk, so a crash leaves no half of one, and one sync is enough for all
    /// tables. Of two daemons at their first start one wins.
    ///
    /// - Parameters:
    ///   - path: Of the registry. Its name is on disk once the folder is synced, at the latest by
    ///     the first commit of each run.
    ///   - folder: Made with its parents when it is missing; nothing for group and others.
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
        // A draft left over harms nobody, and neither does what is left of an older one.
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
            // Another start may have been first: then its registry is the registry.
            guard manager.fileExists(atPath: path) else { throw error }
        }
    }

    /// All tables, and the write-ahead log turned on, without a sync: nobody reads it before its end.
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
