import GRDB
public import SensorModel

extension RegistryStore {
    /// Adds or replaces them, in one commit.
    public func putSessions(_ summaries: [SessionSummary]) throws(RegistryError) {
        guard !summaries.isEmpty else { return }
        try write { database in
            for summary in summaries { try Self.put(summary, in: database) }
        }
    }

    /// Newest first.
    ///
    /// - Parameters:
    ///   - device: `nil`: of all.
    ///   - limit: At most so many.
    /// - Returns: The summaries.
    /// - Throws: ``RegistryError``
    public func sessions(
        of device: DeviceID? = nil, limit: Int = 1000
    ) throws(RegistryError) -> [SessionSummary] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM session WHERE ?1 IS NULL OR device = ?1
                        ORDER BY startedAt DESC, id LIMIT ?2
                    """,
                arguments: [device?.rawValue, limit]
            ).map(Self.summary)
        }
    }

    public func session(_ id: SessionID) throws(RegistryError) -> SessionSummary? {
        try read { database in
            try Row.fetchOne(
                database, sql: "SELECT * FROM session WHERE id = ?", arguments: [id.column]
            ).map(Self.summary)
        }
    }

    /// Unknown ones are no error: the log may have been first to forget them.
    public func deleteSessions(_ ids: [SessionID]) throws(RegistryError) {
        guard !ids.isEmpty else { return }
        try write { database in
            for id in ids {
                try database.execute(
                    sql: "DELETE FROM session WHERE id = ?", arguments: [id.column])
            }
        }
        try truncateWriteAheadLog()
    }

    public func sessionCounts() throws(RegistryError) -> [DeviceID: Int] {
        try read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT device, count(*) AS count FROM session GROUP BY device")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0.device("device"), $0["count"]) })
        }
    }

    private static func put(_ summary: SessionSummary, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO session (id, device, startedAt, endedAt, firstDeviceTime,
                    lastDeviceTime, state, recorded, frames, distanceMeters, movingSeconds,
                    elapsedSeconds, steps, averageHeartRate, maxHeartRate, elevationGainMeters)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                summary.id.column, summary.device.rawValue, summary.startedAt.column,
                summary.endedAt?.column, summary.firstDeviceTime?.column,
                summary.lastDeviceTime?.column, summary.state.rawValue, summary.recorded,
                summary.frames, summary.distanceMeters, summary.movingSeconds,
                summary.elapsedSeconds, summary.steps, summary.averageHeartRate,
                summary.maxHeartRate, summary.elevationGainMeters,
            ])
    }

    static func summary(_ row: Row) throws(RegistryError) -> SessionSummary {
        guard let id = SessionID(column: row.bytes("id")),
            let state = ValueState(rawValue: row["state"])
        else { throw .damagedRow(table: "session") }
        var summary = SessionSummary(
            id: id, device: row.device("device"), startedAt: row.moment("startedAt"),
            recorded: row["recorded"])
        summary.endedAt = row.time("endedAt")
        summary.firstDeviceTime = row.time("firstDeviceTime")
        summary.lastDeviceTime = row.time("lastDeviceTime")
        summary.state = state
        summary.frames = row["frames"]
        summary.distanceMeters = row["distanceMeters"]
        summary.movingSeconds = row["movingSeconds"]
        summary.elapsedSeconds = row["elapsedSeconds"]
        summary.steps = row["steps"]
        summary.averageHeartRate = row["averageHeartRate"]
        summary.maxHeartRate = row["maxHeartRate"]
        summary.elevationGainMeters = row["elevationGainMeters"]
        return summary
    }
}
