import Foundation
import GRDB
import Synchronization

/// An error of the observer, or of reading for it. It does not degrade the registry, as the commit
/// is on this machine's disk or was not tried.
struct ObserverFailure: Error {
    let reason: RegistryError
}

/// Gives an observer the pages of each commit. Used only on the registry's queue.
final class Replication: Sendable {
    private struct Progress {
        var reader = WriteAheadLogReader()
        /// Pages by position that the observer has not accepted yet.
        var unsent: [Int: [UInt8]] = [:]
        /// Size of the registry's file after the last commit.
        var fileBytes = 0
        /// Whether all pages are to be given: the file is new, or commits could not be read.
        var isWholeDue = false

        mutating func collect(from database: Database) throws {
            if isWholeDue {
                reader = WriteAheadLogReader()
                let file = try DatabaseFile.main(of: database)
                let pageBytes = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
                for position in stride(from: 0, to: file.bytes, by: pageBytes) {
                    unsent[position] = try file.read(at: position, pageBytes)
                }
                fileBytes = file.bytes
            }
            let log = try DatabaseFile.writeAheadLog(of: database)
            fileBytes = try reader.readCommits(into: &unsent, log.read) ?? fileBytes
            isWholeDue = false
        }
    }

    private let observer: any RegistryObserver
    private let progress = Mutex(Progress())

    init(_ observer: any RegistryObserver) {
        self.observer = observer
    }

    func noteErasure() { observer.erased() }

    func requireReady() throws(ObserverFailure) {
        do throws(RegistryError) {
            try observer.requireReady()
        } catch {
            throw ObserverFailure(reason: error)
        }
    }

    /// Makes a registry that was just opened durable and migrates it.
    ///
    /// - Parameters:
    ///   - queue: The registry.
    ///   - isNew: Whether the observer is given the whole file.
    /// - Throws: ``ObserverFailure``, ``RegistryError``, or SQLite's error.
    func prepare(_ queue: DatabaseQueue, isNew: Bool) throws {
        try queue.writeWithoutTransaction { database in
            // A restored backup has no write-ahead log yet. Turning it on writes past it.
            let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode")
            let isWhole = isNew || mode != "wal"
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            let isChanged = isWhole || version < RegistrySchema.versions.count
            if isChanged { try requireReady() }
            try RegistryStore.makeDurable(database)
            try RegistryStore.truncateWriteAheadLog(of: database)
            if isWhole { progress.withLock { $0.isWholeDue = true } }
            try database.inTransaction {
                try RegistrySchema.migrate(database)
                return .commit
            }
            if isChanged { try sendCommits(of: database) }
        }
    }

    /// Gives the observer what was committed since the last time.
    func sendCommits(of database: Database) throws(ObserverFailure) {
        do {
            let pages = try progress.withLock { progress in
                do {
                    try progress.collect(from: database)
                } catch {
                    // What was not read now may be overwritten later.
                    progress.isWholeDue = true
                    throw error
                }
                return RegistryPages(progress.unsent, fileBytes: progress.fileBytes)
            }
            guard !pages.pages.isEmpty else { return }
            try observer.committed(pages)
            progress.withLock { $0.unsent = [:] }
        } catch {
            // The caller does not go on to truncate the log after an erasure. If this fails, the
            // next erasure or start truncates it.
            try? RegistryStore.truncateWriteAheadLog(of: database)
            throw ObserverFailure(reason: RegistryError(error))
        }
    }
}

extension RegistryStore {
    /// Runs one transaction, and gives its pages to the observer.
    ///
    /// - Throws: ``ObserverFailure``, or the transaction's error.
    func commit<Result>(
        on queue: DatabaseQueue, _ body: (Database) throws -> Result
    ) throws -> Result {
        guard let replication else { return try queue.write(body) }
        return try queue.writeWithoutTransaction { database in
            try replication.requireReady()
            var result: Result?
            try database.inTransaction {
                result = try body(database)
                return .commit
            }
            try replication.sendCommits(of: database)
            guard let result else { preconditionFailure("a transaction ended without a result") }
            return result
        }
    }

    /// Copies the registry's file as it is after the last commit, complete without files beside it.
    ///
    /// All pages that the observer was given since any time before the copy may be written over it
    /// in order; it is then the same database again. Changes wait meanwhile.
    ///
    /// - Parameter path: Path of the copy; an existing file is replaced. Only the owner may read
    ///   the copy.
    /// - Throws: ``RegistryError``; there is no copy then.
    public func copyFile(to path: String) throws(RegistryError) {
        try requireWritable()
        let queue = state.withLock { $0.queue }
        do {
            try queue.writeWithoutTransaction { try Self.copy($0, to: path) }
        } catch {
            // An incomplete copy is of no use; the first error says more than this one would.
            try? FileManager.default.removeItem(atPath: path)
            throw RegistryError(error)
        }
    }

    /// The write-ahead log's pages are written over those of the file, because a backup that is
    /// reading can keep a checkpoint from being complete.
    private static func copy(_ database: Database, to path: String) throws {
        let source = try DatabaseFile.main(of: database)
        let log = try DatabaseFile.writeAheadLog(of: database)
        var reader = WriteAheadLogReader()
        var pages: [Int: [UInt8]] = [:]
        let fileBytes = try reader.readCommits(into: &pages, log.read) ?? source.bytes
        let manager = FileManager.default
        if manager.fileExists(atPath: path) { try manager.removeItem(atPath: path) }
        guard
            manager.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        else {
            throw RegistryError.database(
                code: Int(ResultCode.SQLITE_CANTOPEN.rawValue), reason: "\(path) cannot be made")
        }
        let copy = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let blockBytes = 1 << 20
        for position in stride(from: 0, to: source.bytes, by: blockBytes) {
            try copy.write(contentsOf: source.read(at: position, blockBytes))
        }
        for (position, bytes) in pages {
            try copy.seek(toOffset: UInt64(position))
            try copy.write(contentsOf: bytes)
        }
        try copy.truncate(atOffset: UInt64(fileBytes))
        try copy.synchronize()
        try copy.close()
    }
}
