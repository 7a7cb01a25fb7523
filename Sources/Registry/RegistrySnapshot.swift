import GRDB
public import SensorModel

/// Everything the daemon keeps in memory, as it was at one moment: loaded once, at start.
public struct RegistrySnapshot: Sendable {
    public var devices: [Device]
    public var shares: [Share]
    public var viewersEver: [ShareKey: Int]
    /// The newest of each device, oldest first: enough to know what a share shows.
    public var sessions: [SessionSummary]
    public var usedProofs: [UsedProof]
    public var codes: [SealedCode]
    public var courses: [DeviceID: StoredCourse]

    /// Sessions a device.
    public static let sessionsMax = 32
}

extension RegistryStore {
    /// One transaction: no half of a change is in it.
    public func snapshot() throws(RegistryError) -> RegistrySnapshot {
        try read { database in
            RegistrySnapshot(
                devices: try Self.allDevices(in: database),
                shares: try Self.allShares(in: database),
                viewersEver: try Self.viewersEver(in: database),
                sessions: try Self.newestSessions(in: database),
                usedProofs: try Self.allProofs(in: database),
                codes: try Self.allCodes(in: database),
                courses: try Self.allCourses(in: database))
        }
    }

    private static func newestSessions(in database: Database) throws -> [SessionSummary] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT * FROM (
                    SELECT *, row_number() OVER (
                        PARTITION BY device ORDER BY startedAt DESC) AS age FROM session)
                    WHERE age <= ? OR endedAt IS NULL ORDER BY startedAt
                """,
            arguments: [RegistrySnapshot.sessionsMax]
        ).map(summary)
    }
}
