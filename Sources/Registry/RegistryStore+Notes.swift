import Foundation
import GRDB
public import SensorModel

extension RegistryStore {
    /// Stores a note; an empty one is deleted.
    ///
    /// - Parameters:
    ///   - note: The whole note.
    ///   - session: Its session.
    ///   - device: The session's device.
    /// - Throws: ``RegistryError/notesFull(bytes:)`` if the device's notes would take more than
    ///   ``SessionNote/bytesOfDeviceMax``; ``RegistryError/unknownDevice(_:)``.
    public func setNote(
        _ note: SessionNote, of session: SessionID, of device: DeviceID
    ) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM sessionNote WHERE session = ?", arguments: [session.column])
            guard !note.isEmpty else { return }
            let others =
                try Int.fetchOne(
                    database,
                    sql: """
                        SELECT coalesce(sum(coalesce(length(CAST(name AS BLOB)), 0)
                            + coalesce(length(CAST(text AS BLOB)), 0)), 0)
                        FROM sessionNote WHERE device = ?
                        """, arguments: [device.rawValue]) ?? 0
            guard others + note.bytes <= SessionNote.bytesOfDeviceMax else {
                throw RegistryError.notesFull(bytes: SessionNote.bytesOfDeviceMax)
            }
            try database.execute(
                sql: """
                    INSERT INTO sessionNote (session, device, name, text, exertion)
                        SELECT ?, id, ?, ?, ? FROM device WHERE id = ?
                    """,
                arguments: [
                    session.column, note.name, note.text, note.exertion, device.rawValue,
                ])
            try Self.checkChanged(device, in: database)
        }
        // An earlier text must not stay in the write-ahead log.
        try truncateWriteAheadLog()
    }

    /// - Returns: Notes by session, none for a session without one.
    public func notes(
        of sessions: [SessionID]
    ) throws(RegistryError) -> [SessionID: SessionNote] {
        try read { database in
            var notes: [SessionID: SessionNote] = [:]
            try Self.forEachRow(
                of: sessions, columns: "session, name, text, exertion", table: "sessionNote",
                key: "session", in: database
            ) { id, row in
                notes[id] = SessionNote(name: row[1], text: row[2], exertion: row[3])
            }
            return notes
        }
    }

    /// - Returns: Perceived exertion by session, for the device's sessions that have one.
    public func exertions(of device: DeviceID) throws(RegistryError) -> [SessionID: Int] {
        try read { database in
            var exertions: [SessionID: Int] = [:]
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT session, exertion FROM sessionNote
                    WHERE device = ? AND exertion IS NOT NULL
                    """, arguments: [device.rawValue])
            while let row = try rows.next() {
                exertions[try Self.session(of: row, table: "sessionNote")] = row[1]
            }
            return exertions
        }
    }

    /// Looks at the next notes in the order of their sessions' IDs. The texts of other devices are
    /// not read.
    ///
    /// - Parameters:
    ///   - device: Device of the notes; `nil`: all devices.
    ///   - last: The last session that was looked at; `nil`: none yet.
    ///   - limit: Notes looked at.
    ///   - isFound: Whether a name or a text is meant.
    /// - Returns: Sessions of which a name or a text is meant, and the last one that was looked at;
    ///   `nil`: there are no more.
    /// - Throws: ``RegistryError``
    public func noted(
        of device: DeviceID?, after last: SessionID?, limit: Int,
        where isFound: (String) -> Bool
    ) throws(RegistryError) -> (sessions: [SessionID], last: SessionID?) {
        try read { database in
            var found: [SessionID] = []
            var count = 0
            let owner = device.map { $0.rawValue }
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT session, name, text FROM sessionNote
                    WHERE \(owner == nil ? "" : "device = ? AND") session > ?
                    ORDER BY session LIMIT ?
                    """,
                arguments: StatementArguments(owner.map { [$0] } ?? [])
                    + [last?.column ?? Data(), limit])
            var lastRow: SessionID?
            while let row = try rows.next() {
                count += 1
                let isMeant = [row[1] as String?, row[2]].contains { $0.map(isFound) ?? false }
                guard isMeant || count == limit else { continue }
                let session = try Self.session(of: row, table: "sessionNote")
                if isMeant { found.append(session) }
                lastRow = session
            }
            return (found, count == limit ? lastRow : nil)
        }
    }

    /// Sessions of which an owner's note or a delivery is kept.
    public func notedSessions() throws(RegistryError) -> [SessionID] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT session FROM sessionNote UNION SELECT session FROM delivery"
            ).map { try Self.session(of: $0, table: "sessionNote") }
        }
    }
}
