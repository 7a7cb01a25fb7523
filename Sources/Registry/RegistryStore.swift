import GRDB
public import SensorModel
import Synchronization

/// Devices, shares and other persistent data that is not a stream: `registry.sqlite`.
///
/// Every call is synchronous and returns when its changes are on disk. The daemon keeps the data in
/// memory after start. It calls from threads that may block, never while it handles a frame.
///
///     writable ──a write fails for the disk──▶ degraded: reads only, each change is refused
///        ▲                                        │
///        └────────────── recover() ───────────────┘
///
/// A registry that cannot be opened for writing is degraded from the start, and is read from a copy
/// in memory. A revocation is kept in either state: ``revoke(_:)``.
public final class RegistryStore: Sendable {
    public static let fileName = "registry.sqlite"

    struct State {
        var queue: DatabaseQueue
        /// Whether ``queue`` is a copy in memory.
        var isCopy: Bool
        /// Why nothing can be written; `nil`: the registry is writable.
        var trouble: DiskTrouble?
        /// Revocations that the file does not have yet.
        var unstored: [Revocation]
    }

    let folder: String
    let state: Mutex<State>
    let notes: RevocationNotes
    /// `nil`: nobody observes the registry.
    let replication: Replication?
    /// Held while ``recover()`` runs.
    let recovering = Mutex<Void>(())
    /// Called when the registry becomes degraded, and with `nil` when it is writable again.
    let troubleChanged: @Sendable (DiskTrouble?) -> Void

    /// Opens the registry in a folder, creates it at the first start, and migrates an older one.
    ///
    /// - Parameters:
    ///   - folder: Created with its parents if missing, without permissions for group and others.
    ///   - observer: Is given each commit, also those of opening; it may refuse them.
    ///   - troubleChanged: Called on any thread: when the registry becomes degraded, and with `nil`
    ///     when it is writable again.
    /// - Throws: ``RegistryError``, also for a registry of a later version; the observer's error.
    public init(
        folder: String, observer: (any RegistryObserver)? = nil,
        troubleChanged: @escaping @Sendable (DiskTrouble?) -> Void = { _ in }
    ) throws(RegistryError) {
        self.folder = folder
        replication = observer.map(Replication.init)
        self.troubleChanged = troubleChanged
        notes = RevocationNotes(folder: folder)
        let unstored = notes.read()
        do {
            let queue = try Self.openToWrite(folder, replication)
            state = Mutex(State(queue: queue, isCopy: false, trouble: nil, unstored: unstored))
        } catch let failure as ObserverFailure {
            throw failure.reason
        } catch {
            let error = RegistryError(error)
            guard let trouble = error.trouble(in: folder) else { throw error }
            let copy: DatabaseQueue
            do { copy = try Self.copyInMemory(folder) } catch { throw .unreadable(trouble) }
            state = Mutex(State(queue: copy, isCopy: true, trouble: trouble, unstored: unstored))
            troubleChanged(trouble)
            return
        }
        notes.setAside()
        storeRevocations(unstored)
    }

    /// Why nothing can be written now; `nil`: the registry is writable.
    public var trouble: DiskTrouble? { state.withLock { $0.trouble } }

    /// - Throws: ``RegistryError/notWritable(_:)``
    public func requireWritable() throws(RegistryError) {
        if let trouble { throw .notWritable(trouble) }
    }

    /// - Throws: ``RegistryError``; nothing was written, except if the observer failed after the
    ///   commit.
    func write<Result>(
        _ body: (Database) throws -> Result
    ) throws(RegistryError) -> Result {
        try requireWritable()
        let queue = state.withLock { $0.queue }
        do { return try commit(on: queue, body) } catch { throw failure(error) }
    }

    func read<Result>(_ body: (Database) throws -> Result) throws(RegistryError) -> Result {
        let queue = state.withLock { $0.queue }
        do { return try queue.read(body) } catch { throw RegistryError(error) }
    }

    /// Called after an erasure: the write-ahead log still contains the old pages.
    func truncateWriteAheadLog() throws(RegistryError) {
        let queue = state.withLock { $0.queue }
        do {
            try queue.writeWithoutTransaction(Self.truncateWriteAheadLog)
        } catch { throw failure(error) }
        replication?.noteErasure()
    }

    /// Writes all commits into the registry's file.
    ///
    /// - Returns: Whether it has them; a backup that reads at the same time may prevent it.
    /// - Throws: ``RegistryError``
    public func foldWriteAheadLog() throws(RegistryError) -> Bool {
        let queue = state.withLock { $0.queue }
        do {
            return try queue.writeWithoutTransaction { database in
                let row = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                return row?[0] == 0 && row?[1] == 0
            }
        } catch { throw failure(error) }
    }

    static func truncateWriteAheadLog(of database: Database) throws {
        try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Converts an error of a write. If the disk caused it, the registry is degraded from here on.
    private func failure(_ error: any Error) -> RegistryError {
        if let failure = error as? ObserverFailure { return failure.reason }
        let error = RegistryError(error)
        guard let trouble = error.trouble(in: folder) else { return error }
        let isNew = state.withLock { state in
            defer { state.trouble = trouble }
            return state.trouble == nil
        }
        if isNew { troubleChanged(trouble) }
        return .notWritable(trouble)
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
