import GRDB

extension RegistryStore {
    /// Copies a registry into a file of its own with SQLite's online backup. A daemon may be using
    /// the registry; the copy shows it at one moment. Revocations that it could not take are in the
    /// copy.
    ///
    /// - Parameters:
    ///   - folder: Folder of the registry.
    ///   - path: Path of the copy; an existing file is replaced.
    /// - Throws: ``RegistryError``
    public static func backUp(folder: String, to path: String) throws(RegistryError) {
        do {
            let source = try openToCopy(folder)
            let copy = try DatabaseQueue(path: path)
            try source.backup(to: copy)
            try copy.write { database in
                for revocation in RevocationNotes(folder: folder).read() {
                    try apply(revocation, in: database)
                }
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

    /// Opens a registry that only has to be read: on a full or read-only disk, too.
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
