import Foundation
import GRDB
public import SensorModel

extension RegistryStore {
    /// SQLite accepts 32,766 values per statement; fewer keep the statement short.
    private static let sessionsPerStatement = 500

    /// Adds or replaces results in one commit. Results of unregistered devices are left out.
    public func putResults(_ results: [SessionResult]) throws(RegistryError) {
        guard !results.isEmpty else { return }
        try write { database in
            for result in results { try Self.put(result, in: database) }
        }
    }

    /// Stored results of the sessions, including outdated ones.
    public func results(
        of sessions: [SessionID]
    ) throws(RegistryError) -> [SessionID: SessionResult] {
        try read { database in
            var results: [SessionID: SessionResult] = [:]
            try Self.forEachRow(
                of: sessions, columns: Self.resultColumns, table: "session", key: "id",
                in: database
            ) { id, row in results[id] = try Self.result(row, of: id) }
            return results
        }
    }

    /// Calls `body` with each row of some sessions. The first of `columns` is the session.
    static func forEachRow(
        of sessions: [SessionID], columns: String, table: String, key: String,
        in database: Database, _ body: (SessionID, Row) throws -> Void
    ) throws {
        for start in stride(from: 0, to: sessions.count, by: sessionsPerStatement) {
            let part = sessions[start..<min(start + sessionsPerStatement, sessions.count)]
            let marks = part.map { _ in "?" }.joined(separator: ",")
            let rows = try Row.fetchCursor(
                database, sql: "SELECT \(columns) FROM \(table) WHERE \(key) IN (\(marks))",
                arguments: StatementArguments(part.map(\.column)))
            while let row = try rows.next() { try body(try session(of: row, table: table), row) }
        }
    }

    /// The session in a row's first column.
    static func session(of row: Row, table: String) throws(RegistryError) -> SessionID {
        guard let bytes: Data = row[0], let id = SessionID(column: Array(bytes)) else {
            throw .damagedRow(table: table)
        }
        return id
    }

    /// The last record of each session with results from a log.
    ///
    /// - Parameter epoch: Epoch of the log.
    /// - Returns: Offsets by session; empty if there are no results from that log.
    /// - Throws: ``RegistryError``
    public func resultOffsets(
        epoch: UInt32
    ) throws(RegistryError) -> [SessionID: RecordOffset] {
        try read { database in
            var offsets: [SessionID: RecordOffset] = [:]
            let rows = try Row.fetchCursor(
                database, sql: "SELECT id, lastOffset FROM session WHERE epoch = ?",
                arguments: [Int64(epoch)])
            while let row = try rows.next() {
                let session = try Self.session(of: row, table: "session")
                offsets[session] = RecordOffset(rawValue: UInt64(bitPattern: row[1]))
            }
            return offsets
        }
    }

    /// Deletes results from other logs.
    ///
    /// - Parameter epoch: Epoch of the log whose results stay.
    /// - Throws: ``RegistryError``
    public func deleteResults(exceptOfEpoch epoch: UInt32) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM session WHERE epoch <> ?", arguments: [Int64(epoch)])
        }
        try truncateWriteAheadLog()
    }

    /// Deletes results. Unknown sessions are no error.
    public func deleteResults(of sessions: [SessionID]) throws(RegistryError) {
        try delete(sessions, from: ["DELETE FROM session WHERE id = ?"])
    }

    /// Deletes all that is known of sessions: results, notes, open alerts and deliveries. Unknown
    /// sessions are no error: the log may have erased them first.
    public func deleteSessions(_ sessions: [SessionID]) throws(RegistryError) {
        try delete(
            sessions,
            from: [
                "DELETE FROM session WHERE id = ?", "DELETE FROM sessionNote WHERE session = ?",
                "DELETE FROM openAlert WHERE session = ?", "DELETE FROM delivery WHERE session = ?",
            ])
    }

    private func delete(
        _ sessions: [SessionID], from statements: [String]
    ) throws(RegistryError) {
        guard !sessions.isEmpty else { return }
        try write { database in
            for session in sessions {
                for statement in statements {
                    try database.execute(sql: statement, arguments: [session.column])
                }
            }
        }
        try truncateWriteAheadLog()
    }

    private static let resultColumns = """
        id, device, epoch, lastOffset, state, distanceMeters, movingSeconds, elapsedSeconds, steps,
        averageHeartRate, maxHeartRate, elevationGainMeters, hrTSS, effortKm
        """

    private static func put(_ result: SessionResult, in database: Database) throws {
        let totals = result.totals
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO session (\(resultColumns))
                    SELECT ?, id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM device WHERE id = ?
                """,
            arguments: [
                result.session.column, Int64(result.epoch),
                Int64(bitPattern: result.lastOffset.rawValue), totals?.state.rawValue,
                totals?.distanceMeters, totals?.movingSeconds, totals?.elapsedSeconds,
                totals?.steps, totals?.averageHeartRate, totals?.maxHeartRate,
                totals?.elevationGainMeters, totals?.hrTSS, totals?.effortKm,
                result.device.rawValue,
            ])
    }

    /// Columns are read by index: a page has hundreds of rows, and lookups by name are slow.
    private static func result(_ row: Row, of id: SessionID) throws -> SessionResult {
        var result = SessionResult(
            session: id, device: DeviceID(rawValue: row[1]),
            epoch: UInt32(truncatingIfNeeded: row[2] as Int64),
            lastOffset: RecordOffset(rawValue: UInt64(bitPattern: row[3])), metrics: nil)
        if let number: UInt8 = row[4] {
            guard let state = ValueState(rawValue: number) else {
                throw RegistryError.damagedRow(table: "session")
            }
            result.totals = SessionResult.Totals(
                state: state, distanceMeters: row[5], movingSeconds: row[6] ?? 0,
                elapsedSeconds: row[7] ?? 0, steps: row[8], averageHeartRate: row[9],
                maxHeartRate: row[10], elevationGainMeters: row[11], hrTSS: row[12],
                effortKm: row[13])
        }
        return result
    }
}
