import GRDB
import SensorModel
import Synchronization

/// Revocation and recovery while the disk takes no changes.
extension RegistryStore {
    /// SQLite's result codes of failures that a disk can cause.
    fileprivate enum ResultCode {
        static let readOnly = 8
        static let inputOutput = 10
        static let full = 13
        static let cannotOpen = 14
        /// No room for the index of the write-ahead log.
        static let indexSize = inputOutput | 19 << 8
    }

    /// Revokes a share or a device's token.
    ///
    /// The caller refuses it from now on in any case.
    ///
    /// - Returns: Where it is kept. If it is not in the registry, ``recover()`` stores it.
    /// - Throws: ``RegistryError`` for an unknown share or device.
    public func revoke(_ revocation: Revocation) throws(RegistryError) -> Revocation.Kept {
        do throws(RegistryError) {
            try write { database in
                // Applies even if its secret was replaced since.
                let isKnown = try Self.apply(revocation, isLate: false, in: database)
                guard isKnown else { throw Self.unknown(revocation.target) }
            }
            return .stored
        } catch {
            if case .notReplicated = error {
                // Noted in any case: the change may have been refused before it was written.
                _ = notes.note(revocation)
                return .onThisNode
            }
            guard case .notWritable(let trouble) = error else { throw error }
            state.withLock { $0.unstored.append(revocation) }
            let isNoted = notes.note(revocation)
            // The note is this machine's: another node that takes over does not have it.
            return isNoted && replication == nil ? .noted : .inMemory(trouble)
        }
    }

    /// Makes a degraded registry writable again, and stores the revocations that wait for it. Does
    /// nothing if the registry is writable.
    ///
    /// - Throws: ``RegistryError/notWritable(_:)``: the disk still takes nothing; the observer's
    ///   error: the registry stays degraded until a later call.
    public func recover() throws(RegistryError) {
        let result = recovering.withLock { _ in
            Result { () throws(RegistryError) in try recoverAlone() }
        }
        try result.get()
    }

    private func recoverAlone() throws(RegistryError) {
        let before = state.withLock { $0 }
        guard before.trouble != nil else { return }
        do {
            let queue = before.isCopy ? try Self.openToWrite(folder, replication) : before.queue
            var stored: [Revocation] = []
            while true {
                let due = state.withLock { Array($0.unstored.dropFirst(stored.count)) }
                try commit(on: queue) { database in
                    // Writes to the file without a change of its content: only a write shows
                    // whether the disk takes one.
                    let version = RegistrySchema.versions.count
                    try database.execute(sql: "PRAGMA user_version = \(version)")
                    for revocation in due { try Self.apply(revocation, in: database) }
                }
                stored += due
                let isComplete = state.withLock { state in
                    guard state.unstored.count == stored.count else { return false }
                    state = State(queue: queue, isCopy: false, trouble: nil, unstored: [])
                    return true
                }
                if isComplete { break }
            }
            notes.remove(stored)
            notes.setAside()
        } catch let failure as ObserverFailure {
            throw failure.reason
        } catch {
            let error = RegistryError(error)
            let trouble = error.trouble(in: folder)
            state.withLock { $0.trouble = trouble ?? $0.trouble }
            throw trouble.map(RegistryError.notWritable) ?? error
        }
        troubleChanged(nil)
    }

    /// Stores revocations that an earlier run could only note.
    func storeRevocations(_ revocations: [Revocation]) {
        guard !revocations.isEmpty else { return }
        do throws(RegistryError) {
            try write { database in
                for revocation in revocations { try Self.apply(revocation, in: database) }
            }
            state.withLock { $0.unstored.removeFirst(revocations.count) }
            notes.remove(revocations)
        } catch {
            // The revocations stay in effect in memory, and stay noted.
        }
    }

    /// Stores a revocation.
    ///
    /// - Parameters:
    ///   - revocation: The revocation.
    ///   - isLate: Whether it was noted earlier. A secret made since then stays valid.
    ///   - database: The registry.
    /// - Returns: Whether there is such a share or device.
    /// - Throws: SQLite's error.
    @discardableResult
    static func apply(
        _ revocation: Revocation, isLate: Bool = true, in database: Database
    ) throws -> Bool {
        let (table, hash, number) =
            switch revocation.target {
            case .share(let key): ("share", "idHash", key.rawValue)
            case .device(let id): ("device", "tokenHash", id.rawValue)
            }
        try database.execute(
            sql: """
                UPDATE \(table) SET revokedAt = coalesce(revokedAt, ?)
                WHERE id = ? AND (\(hash) = ? OR ?)
                """,
            arguments: [revocation.time.column, number, revocation.hash.column, !isLate])
        guard database.changesCount > 0 else { return false }
        if case .share(let key) = revocation.target { try withdrawCodes(of: key, in: database) }
        return true
    }

    private static func unknown(_ target: Revocation.Target) -> RegistryError {
        switch target {
        case .share(let key): .unknownShare("number \(key.rawValue)")
        case .device(let id): .unknownDevice("number \(id.rawValue)")
        }
    }
}

extension RegistryError {
    /// - Parameter folder: Folder of the registry.
    /// - Returns: The trouble of its disk; `nil` if the error has another cause.
    func trouble(in folder: String) -> DiskTrouble? {
        switch self {
        case .notWritable(let trouble), .unreadable(let trouble): return trouble
        case .folderNotCreated: return .probing(folder)
        case .nameTaken, .unknownDevice, .unknownShare, .unknownZone, .zonesFull, .notesFull,
            .unknownReceiver, .receiversFull, .unknownTarget, .targetsFull, .deliveriesFull,
            .schemaIsNewer, .damagedRow, .notReplicated:
            return nil
        case .database(let code, _): return Self.trouble(code, in: folder)
        }
    }

    private static func trouble(_ code: Int, in folder: String) -> DiskTrouble? {
        let found = DiskTrouble.probing(folder)
        switch code & 0xFF {
        case RegistryStore.ResultCode.full: return found ?? .full
        case RegistryStore.ResultCode.inputOutput:
            let isRoom = code == RegistryStore.ResultCode.indexSize
            return found ?? (isRoom ? .full : .failing(number: 0))
        // Missing permissions cause these, too.
        case RegistryStore.ResultCode.readOnly, RegistryStore.ResultCode.cannotOpen: return found
        // Code 1 is an error that is not SQLite's: a registry that could not be made.
        case 1: return found
        default: return nil
        }
    }
}
