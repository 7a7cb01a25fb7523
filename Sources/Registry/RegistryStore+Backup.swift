import GRDB

extension RegistryStore {
    /// Copies a registry that a daemon may be using into a file of its own, by SQLite's online
    /// backup: the copy is the registry of one moment.
    ///
    /// - Parameters:
    ///   - folder: Holds the registry.
    ///   - path: Of the copy; replaced where it exists.
    /// - Throws: ``RegistryError``
    public static func backUp(folder: String, to path: String) throws(RegistryError) {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let source = try DatabaseQueue(
                path: folder + "/" + fileName, configuration: configuration)
            let copy = try DatabaseQueue(path: path)
            try source.backup(to: copy)
            // One file: what a write-ahead log beside it has would be left behind.
            try copy.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA journal_mode = DELETE")
            }
            try copy.close()
            try source.close()
        } catch {
            throw RegistryError(error)
        }
    }
}
