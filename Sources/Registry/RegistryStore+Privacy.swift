import GRDB
public import SensorModel

extension RegistryStore {
    /// Replaces a device's zones and trims in one commit. Each commit waits for the disk, and a
    /// partial change would show what is hidden.
    ///
    /// - Throws: ``RegistryError/zonesFull(_:)``, ``RegistryError/unknownDevice(_:)``
    public func setPrivacy(_ settings: PrivacySettings, of id: DeviceID) throws(RegistryError) {
        guard settings.zones.count <= PrivacySettings.zonesMax else {
            throw .zonesFull(PrivacySettings.zonesMax)
        }
        try write { database in
            try database.execute(
                sql: """
                    UPDATE device
                    SET trimStartMeters = ?, trimFinishMeters = ?, showsHeartRate = ?
                    WHERE id = ?
                    """,
                arguments: [
                    settings.trimStartMeters, settings.trimFinishMeters,
                    settings.showsHeartRate, id.rawValue,
                ])
            try Self.checkChanged(id, in: database)
            try database.execute(
                sql: "DELETE FROM zone WHERE device = ?", arguments: [id.rawValue])
            for zone in settings.zones { try Self.insert(zone, of: id, into: database) }
        }
        // A home's position must not stay in the file after its owner removed the zone.
        try truncateWriteAheadLog()
    }

    private static func insert(
        _ zone: PrivacyZone, of id: DeviceID, into database: Database
    ) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO zone (device, nameKey, name, latitude, longitude,
                    radiusMeters)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id.rawValue, zone.name.key, zone.name, zone.latitude, zone.longitude,
                zone.radiusMeters,
            ])
    }

    static func zonesByDevice(in database: Database) throws -> [DeviceID: [PrivacyZone]] {
        let rows = try Row.fetchAll(database, sql: "SELECT * FROM zone ORDER BY device, nameKey")
        return Dictionary(grouping: rows) { $0.device("device") }.mapValues { rows in
            rows.map { row in
                PrivacyZone(
                    name: row["name"], latitude: row["latitude"], longitude: row["longitude"],
                    radiusMeters: row["radiusMeters"])
            }
        }
    }
}
