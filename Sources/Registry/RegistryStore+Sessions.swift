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
            for start in stride(from: 0, to: sessions.count, by: Self.sessionsPerStatement) {
                let part = sessions[start..<min(start + Self.sessionsPerStatement, sessions.count)]
                let marks = part.map { _ in "?" }.joined(separator: ",")
                let rows = try Row.fetchCursor(
                    database,
                    sql: "SELECT \(Self.resultColumns) FROM session WHERE id IN (\(marks))",
                    arguments: StatementArguments(part.map(\.column)))
                while let row = try rows.next() {
                    let result = try Self.result(row)
                    results[result.session] = result
                }
            }
            return results
        }
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
                guard let id = SessionID(column: row.bytes("id")) else {
                    throw RegistryError.damagedRow(table: "session")
                }
                offsets[id] = RecordOffset(rawValue: UInt64(bitPattern: row[1]))
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

    /// Deletes results. Unknown sessions are no error: the log may have erased them first.
    public func deleteResults(of sessions: [SessionID]) throws(RegistryError) {
        guard !sessions.isEmpty else { return }
        try write { database in
            for session in sessions {
                try database.execute(
                    sql: "DELETE FROM session WHERE id = ?", arguments: [session.column])
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
    private static func result(_ row: Row) throws -> SessionResult {
        guard let id = SessionID(column: row.bytes("id")) else {
            throw RegistryError.damagedRow(table: "session")
        }
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
