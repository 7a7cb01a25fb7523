import Foundation
import GRDB
public import SensorModel

extension RegistryStore {
    /// - Parameters:
    ///   - name: Unique, ignoring case.
    ///   - tokenHash: Hash of the token that is shown once.
    ///   - now: Becomes `createdAt`.
    ///   - privacySalt: Random number that seeds the device's privacy offsets.
    ///   - highest: The highest device number in the log. A registry that was lost or restored from
    ///     a backup does not know it.
    ///   - sealProofKey: Seals the token's proof key for the device's number.
    /// - Returns: The device as it was written.
    /// - Throws: ``RegistryError/nameTaken(_:)``
    public func addDevice(
        name: String, tokenHash: SecretHash, at now: Timestamp, privacySalt: UInt64,
        above highest: DeviceID? = nil, sealProofKey: (DeviceID) -> [UInt8]
    ) throws(RegistryError) -> Device {
        try write { database in
            let taken = try Int.fetchOne(
                database, sql: "SELECT 1 FROM device WHERE nameKey = ?", arguments: [name.key])
            guard taken == nil else { throw RegistryError.nameTaken(name) }
            let given = try UInt32.fetchOne(
                database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'device'")
            let number = DeviceID.next(given: given.map(DeviceID.init(rawValue:)), inLog: highest)
            try database.execute(
                sql: """
                    INSERT INTO device (id, name, nameKey, tokenHash, sealedProofKey, createdAt,
                        profile, privacySalt) VALUES (?, ?, ?, ?, x'', ?, ?, ?)
                    """,
                arguments: [
                    number.rawValue, name, name.key, tokenHash.column, now.column,
                    try ProfileCoding.text(RunnerProfile(), ZoneHistory()),
                    Int64(bitPattern: privacySalt),
                ])
            let id = DeviceID(rawValue: UInt32(database.lastInsertedRowID))
            try database.execute(
                sql: "UPDATE device SET sealedProofKey = ? WHERE id = ?",
                arguments: [Data(sealProofKey(id)), id.rawValue])
            return try Self.device(id, in: database)
        }
    }

    /// Makes new devices get numbers above `highest`.
    public func reserveDeviceNumbers(through highest: DeviceID) throws(RegistryError) {
        try write { database in
            let given = try Int64.fetchOne(
                database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'device'")
            guard let given else {
                return try database.execute(
                    sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('device', ?)",
                    arguments: [highest.rawValue])
            }
            guard given < Int64(highest.rawValue) else { return }
            try database.execute(
                sql: "UPDATE sqlite_sequence SET seq = ? WHERE name = 'device'",
                arguments: [highest.rawValue])
        }
    }

    public func devices() throws(RegistryError) -> [Device] {
        try read { try Self.allDevices(in: $0) }
    }

    /// Finds a device by its name, ignoring case.
    ///
    /// - Throws: ``RegistryError/unknownDevice(_:)``
    public func device(named name: String) throws(RegistryError) -> Device {
        try read { database in
            let id = try UInt32.fetchOne(
                database, sql: "SELECT id FROM device WHERE nameKey = ?", arguments: [name.key])
            guard let id else { throw RegistryError.unknownDevice(name) }
            return try Self.device(DeviceID(rawValue: id), in: database)
        }
    }

    /// Replaces the token; a revoked device works again.
    public func rotateDevice(
        _ id: DeviceID, tokenHash: SecretHash, sealedProofKey: [UInt8]
    ) throws(RegistryError) {
        try update(
            id,
            sql: """
                UPDATE device SET tokenHash = ?, sealedProofKey = ?, revokedAt = NULL WHERE id = ?
                """,
            arguments: [tokenHash.column, Data(sealedProofKey), id.rawValue])
    }

    public func setProfile(
        _ profile: RunnerProfile, _ zoneHistory: ZoneHistory = ZoneHistory(), of id: DeviceID
    ) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "UPDATE device SET profile = ? WHERE id = ?",
                arguments: [try ProfileCoding.text(profile, zoneHistory), id.rawValue])
            try Self.checkChanged(id, in: database)
        }
    }

    /// Sets many times in one commit: one commit per device would cost one fdatasync each.
    public func setLastSeen(_ times: [DeviceID: Timestamp]) throws(RegistryError) {
        guard !times.isEmpty else { return }
        try write { database in
            for (id, time) in times {
                try database.execute(
                    sql: "UPDATE device SET lastSeenAt = ? WHERE id = ?",
                    arguments: [time.column, id.rawValue])
            }
        }
    }

    /// Erases the device with its shares, zones, session results, course and proofs, and the groups
    /// left without a member. The log erases its own records of the device.
    public func deleteDevice(_ id: DeviceID) throws(RegistryError) {
        try write { database in
            try database.execute(sql: "DELETE FROM device WHERE id = ?", arguments: [id.rawValue])
            try Self.checkChanged(id, in: database)
            try Self.deleteEmptyGroups(in: database)
        }
        try truncateWriteAheadLog()
    }

    private func update(
        _ id: DeviceID, sql: String, arguments: StatementArguments
    ) throws(RegistryError) {
        try write { database in
            try database.execute(sql: sql, arguments: arguments)
            try Self.checkChanged(id, in: database)
        }
    }

    static func checkChanged(_ id: DeviceID, in database: Database) throws(RegistryError) {
        guard database.changesCount > 0 else {
            throw .unknownDevice("number \(id.rawValue)")
        }
    }

    static func allDevices(in database: Database) throws -> [Device] {
        let zones = try zonesByDevice(in: database)
        return try Row.fetchAll(database, sql: "SELECT * FROM device ORDER BY id").map { row in
            try device(row, zones: zones[row.device("id")] ?? [])
        }
    }

    private static func device(_ id: DeviceID, in database: Database) throws -> Device {
        let row = try Row.fetchOne(
            database, sql: "SELECT * FROM device WHERE id = ?", arguments: [id.rawValue])
        guard let row else { throw RegistryError.unknownDevice("number \(id.rawValue)") }
        return try device(row, zones: try zonesByDevice(in: database)[id] ?? [])
    }

    private static func device(_ row: Row, zones: [PrivacyZone]) throws -> Device {
        let (profile, zoneHistory) = try ProfileCoding.profile(row["profile"])
        return Device(
            id: row.device("id"), name: row["name"],
            tokenHash: try row.hash("tokenHash", of: "device"),
            sealedProofKey: row.bytes("sealedProofKey"), createdAt: row.moment("createdAt"),
            revokedAt: row.time("revokedAt"), lastSeenAt: row.time("lastSeenAt"),
            profile: profile, zoneHistory: zoneHistory,
            privacy: PrivacySettings(
                zones: zones, trimStartMeters: row["trimStartMeters"],
                trimFinishMeters: row["trimFinishMeters"],
                salt: UInt64(bitPattern: row["privacySalt"]),
                showsHeartRate: row["showsHeartRate"]))
    }
}

extension String {
    /// Normalized form of a name; two names with the same key conflict.
    var key: String { lowercased() }
}
