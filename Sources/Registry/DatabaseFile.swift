import GRDB
import GRDBSQLite

/// A file of an open database, read with SQLite's own descriptor on the database's queue.
///
/// No other descriptor of `registry.sqlite` may be opened meanwhile: POSIX removes all locks that a
/// process has on a file when it closes any of its descriptors of that file. A backup in another
/// process would then take itself for the last user, and delete the write-ahead log.
@safe struct DatabaseFile {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods
    /// Size in bytes when it was opened.
    let bytes: Int

    /// The file without what is only in the write-ahead log.
    static func main(of database: Database) throws(RegistryError) -> DatabaseFile {
        try DatabaseFile(SQLITE_FCNTL_FILE_POINTER, of: database)
    }

    static func writeAheadLog(of database: Database) throws(RegistryError) -> DatabaseFile {
        try DatabaseFile(SQLITE_FCNTL_JOURNAL_POINTER, of: database)
    }

    private init(_ kind: Int32, of database: Database) throws(RegistryError) {
        var found: UnsafeMutablePointer<sqlite3_file>?
        let code = unsafe sqlite3_file_control(database.sqliteConnection, "main", kind, &found)
        guard code == SQLITE_OK, let found = unsafe found,
            let methods = unsafe found.pointee.pMethods?.pointee
        else { throw .database(code: Int(SQLITE_CANTOPEN), reason: "a file is not open") }
        var size: sqlite3_int64 = 0
        let sizeCode = unsafe methods.xFileSize(found, &size)
        guard sizeCode == SQLITE_OK else {
            throw .database(code: Int(sizeCode), reason: "a file's size cannot be read")
        }
        unsafe file = found
        self.methods = methods
        bytes = Int(size)
    }

    /// - Parameters:
    ///   - offset: At least 0.
    ///   - count: Bytes wanted.
    /// - Returns: Bytes from the offset on; fewer at the end of the file.
    /// - Throws: ``RegistryError/database(code:reason:)``
    func read(at offset: Int, _ count: Int) throws(RegistryError) -> [UInt8] {
        let count = max(0, min(count, bytes - offset))
        guard count > 0 else { return [] }
        var read = [UInt8](repeating: 0, count: count)
        let code = unsafe read.withUnsafeMutableBytes {
            unsafe methods.xRead(file, $0.baseAddress, Int32(count), Int64(offset))
        }
        guard code == SQLITE_OK else {
            throw .database(code: Int(code), reason: "a file cannot be read")
        }
        return read
    }
}
