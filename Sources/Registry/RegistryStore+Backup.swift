import GRDB

extension RegistryStore {
    /// The last offsets that a registry's results refer to, by epoch of the log.
    public struct ResultEnds: Hashable, Sendable {
        fileprivate var offsets: [Int64: Int64] = [:]
    }

    /// Returns the results whose records are in a copy of the log that begins now.
    ///
    /// A result is stored after its records.
    ///
    /// - Parameter folder: Folder of the registry.
    /// - Returns: The ends; empty if the registry has no results.
    /// - Throws: ``RegistryError``
    public static func resultEnds(folder: String) throws(RegistryError) -> ResultEnds {
        do {
            let source = try openToCopy(folder)
            let ends = try source.read { database in
                try Row.fetchAll(
                    database, sql: "SELECT epoch, max(lastOffset) FROM session GROUP BY epoch"
                ).reduce(into: ResultEnds()) { $0.offsets[$1[0]] = $1[1] }
            }
            try source.close()
            return ends
        } catch {
            throw RegistryError(error)
        }
    }

    /// Copies a registry into a file of its own with SQLite's online backup.
    ///
    /// A daemon may be using the registry; the copy shows it at one moment. The copy also has the
    /// revocations that the registry could not store.
    ///
    /// - Parameters:
    ///   - folder: Folder of the registry.
    ///   - path: Path of the copy; an existing file is replaced.
    ///   - ends: Results beyond these are left out, because a log that was copied earlier lacks
    ///     their records. `nil`: all results are copied.
    /// - Throws: ``RegistryError``
    public static func backUp(
        folder: String, to path: String, resultsUntil ends: ResultEnds? = nil
    ) throws(RegistryError) {
        do {
            let source = try openToCopy(folder)
            let copy = try DatabaseQueue(path: path)
            try source.backup(to: copy)
            try copy.write { database in
                for revocation in RevocationNotes(folder: folder).read() {
                    try apply(revocation, in: database)
                }
                if let ends { try deleteResults(beyond: ends, in: database) }
            }
            // The copy must be one file: a write-ahead log beside it would be left behind.
            try copy.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA journal_mode = DELETE")
            }
            try copy.close()
            try source.close()
        } catch {
            throw RegistryError(error)
        }
    }

    private static func deleteResults(beyond ends: ResultEnds, in database: Database) throws {
        for epoch in try Int64.fetchAll(database, sql: "SELECT DISTINCT epoch FROM session") {
            try database.execute(
                sql: "DELETE FROM session WHERE epoch = ? AND lastOffset > ?",
                arguments: [epoch, ends.offsets[epoch] ?? -1])
        }
    }

    /// Opens a registry for reading only, also on a full or read-only disk.
    private static func openToCopy(_ folder: String) throws -> DatabaseQueue {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let queue = try DatabaseQueue(
                path: folder + "/" + fileName, configuration: configuration)
            try queue.read { _ = try Int.fetchOne($0, sql: "PRAGMA user_version") }
            return queue
        } catch {
            guard RegistryError(error).trouble(in: folder) != nil else { throw error }
            return try copyInMemory(folder)
        }
    }
}
