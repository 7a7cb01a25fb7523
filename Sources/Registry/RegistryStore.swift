import GRDB

/// Devices, shares and other persistent data that is not a stream: `registry.sqlite`.
///
/// Every call is synchronous and returns when its changes are on disk. No call belongs on a frame's
/// path: the daemon keeps the data in memory after start, and calls from a thread that may block.
public final class RegistryStore: Sendable {
    public static let fileName = "registry.sqlite"

    private let queue: DatabaseQueue

    /// Opens the registry in a folder, creates it at the first start, and migrates an older one.
    ///
    /// - Parameter folder: Created with its parents if missing, without permissions for group and
    ///   others.
    /// - Throws: ``RegistryError``, also for a registry of a later version.
    public init(folder: String) throws(RegistryError) {
        do {
            let path = folder + "/" + Self.fileName
            try Self.makeFirst(path, in: folder)
            var configuration = Configuration()
            configuration.label = "pulsecast.registry"
            configuration.busyMode = .timeout(5)  // a backup may be reading
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction(Self.makeDurable)
            try queue.write(RegistrySchema.migrate)
        } catch {
            throw RegistryError(error)
        }
    }

    /// Makes commits durable before they return, and overwrites deleted data. GRDB's own setup of a
    /// write-ahead log creates and drops a table each time, with two syncs, for pools of
    /// connections.
    private static func makeDurable(_ database: Database) throws {
        let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw DatabaseError(message: "this file system allows no write-ahead log")
        }
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.execute(sql: "PRAGMA secure_delete = ON")
    }

    /// - Throws: ``RegistryError``; nothing was written.
    func write<Result>(
        _ body: (Database) throws -> Result
    ) throws(RegistryError) -> Result {
        do { return try queue.write(body) } catch { throw RegistryError(error) }
    }

    func read<Result>(_ body: (Database) throws -> Result) throws(RegistryError) -> Result {
        do { return try queue.read(body) } catch { throw RegistryError(error) }
    }

    /// Called after an erasure: the write-ahead log still contains the old pages.
    func truncateWriteAheadLog() throws(RegistryError) {
        do {
            try queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
        } catch {
            throw RegistryError(error)
        }
    }
}

extension RegistryError {
    /// Passes on a ``RegistryError`` and converts SQLite's errors to code and message. The
    /// statement is left out because it may contain secrets.
    init(_ error: any Error) {
        switch error {
        case let error as RegistryError: self = error
        case let error as DatabaseError:
            self = .database(
                code: Int(error.extendedResultCode.rawValue),
                reason: error.message ?? "no reason given")
        default: self = .database(code: 1, reason: "unexpected \(type(of: error))")
        }
    }
}
