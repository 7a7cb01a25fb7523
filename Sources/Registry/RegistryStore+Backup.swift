import GRDB

extension RegistryStore {
    /// Copies a registry into a file of its own with SQLite's online backup. A daemon may be using
    /// the registry; the copy shows it at one moment.
    ///
    /// - Parameters:
    ///   - folder: Folder of the registry.
    ///   - path: Path of the copy; an existing file is replaced.
    /// - Throws: ``RegistryError``
    public static func backUp(folder: String, to path: String) throws(RegistryError) {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let source = try DatabaseQueue(
                path: folder + "/" + fileName, configuration: configuration)
            let copy = try DatabaseQueue(path: path)
            try source.backup(to: copy)
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
}
