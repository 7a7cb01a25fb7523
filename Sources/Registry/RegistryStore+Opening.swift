import Foundation
import GRDB

extension RegistryStore {
    /// Opens the registry for writing; it is made or migrated first if necessary.
    ///
    /// - Throws: ``ObserverFailure``, ``RegistryError``, SQLite's error, or Foundation's.
    static func openToWrite(_ folder: String, _ replication: Replication?) throws -> DatabaseQueue {
        let path = folder + "/" + fileName
        let isNew = replication != nil && !FileManager.default.fileExists(atPath: path)
        if isNew { try replication?.requireReady() }
        try makeFirst(path, in: folder)
        // Otherwise SQLite would open it read-only, and keep it so once the disk is writable.
        guard FileManager.default.isWritableFile(atPath: path) else {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY, message: "the file cannot be written")
        }
        var configuration = Configuration()
        configuration.label = "pulsecast.registry"
        configuration.busyMode = .timeout(5)  // a backup may be reading
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        guard let replication else {
            try queue.writeWithoutTransaction(makeDurable)
            try queue.write(RegistrySchema.migrate)
            return queue
        }
        try replication.prepare(queue, isNew: isNew)
        return queue
    }

    /// Makes commits durable before they return, and overwrites deleted data.
    ///
    /// It replaces GRDB's own setup of a write-ahead log. That is made for pools of connections,
    /// and creates and drops a table each time, with two syncs.
    static func makeDurable(_ database: Database) throws {
        let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw DatabaseError(message: "this file system allows no write-ahead log")
        }
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.execute(sql: "PRAGMA secure_delete = ON")
    }

    /// Reads all of the registry into memory without a change on disk, and migrates the copy.
    ///
    /// Even to read a registry with a write-ahead log, SQLite creates or rewrites files beside it.
    /// Two of its settings avoid that. `immutable` reads only the registry file, which is complete
    /// if the write-ahead log is missing or empty, as after an orderly end. `readonly_shm` builds
    /// the index of the write-ahead log in memory.
    ///
    /// - Throws: SQLite's error, ``RegistryError``
    static func copyInMemory(_ folder: String) throws -> DatabaseQueue {
        let path = folder + "/" + fileName
        let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
        let isEmpty = ((log?[.size] as? NSNumber)?.intValue ?? 0) == 0
        var configuration = Configuration()
        configuration.readonly = true
        let source = try DatabaseQueue(
            path: URL(fileURLWithPath: path).absoluteString
                + (isEmpty ? "?immutable=1" : "?readonly_shm=1"),
            configuration: configuration)
        configuration = Configuration()
        configuration.label = "pulsecast.registry"
        let copy = try DatabaseQueue(configuration: configuration)
        try source.backup(to: copy)
        try source.close()
        try copy.write(RegistrySchema.migrate)
        return copy
    }
}
