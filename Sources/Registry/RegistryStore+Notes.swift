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
