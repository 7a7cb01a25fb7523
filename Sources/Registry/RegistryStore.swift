import GRDB

/// Devices, shares and what else must outlive the daemon but is no stream: `registry.sqlite`.
///
/// Every call is synchronous and returns when what it wrote is on disk. None belongs on the way of
/// a frame: the daemon keeps what it loads at start in memory, and calls from a thread that may
/// wait.
public final class RegistryStore: Sendable {
    public static let fileName = "registry.sqlite"

    private let queue: DatabaseQueue

    /// Opens the registry in a folder, makes it at first, and brings an older one up to date.
    ///
    /// - Parameter folder: Made with its parents when it is missing; nothing for group and others.
    /// - Throws: ``RegistryError``, for a registry of a later version too.
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

    /// A commit is on disk when it returns; what is deleted is overwritten. GRDB's own way to a
    /// write-ahead log makes and drops a table each time, with two syncs, for pools of connections.
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

    /// After an erasure: the write-ahead log still holds the pages as they were.
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
    /// Ours as it is, SQLite's with its code and words, without the statement: it may name secrets.
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
