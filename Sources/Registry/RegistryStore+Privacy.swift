import GRDB
public import SensorModel

extension RegistryStore {
    /// Adds a zone, or replaces the one of that name.
    ///
    /// - Throws: ``RegistryError/zonesFull(_:)``
    public func setZone(_ zone: PrivacyZone, of id: DeviceID) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM zone WHERE device = ? AND nameKey = ?",
                arguments: [id.rawValue, zone.name.key])
            let count = try Int.fetchOne(
                database, sql: "SELECT count(*) FROM zone WHERE device = ?",
                arguments: [id.rawValue])
            guard count ?? 0 < PrivacySettings.zonesMax else {
                throw RegistryError.zonesFull(PrivacySettings.zonesMax)
            }
            try database.execute(
                sql: """
                    INSERT INTO zone (device, nameKey, name, latitude, longitude, radiusMeters,
                        offsetEastMeters, offsetNorthMeters) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    id.rawValue, zone.name.key, zone.name, zone.latitude, zone.longitude,
                    zone.radiusMeters, zone.offsetEastMeters, zone.offsetNorthMeters,
                ])
        }
    }

    /// - Throws: ``RegistryError/unknownZone(_:)``
    public func removeZone(named name: String, of id: DeviceID) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM zone WHERE device = ? AND nameKey = ?",
                arguments: [id.rawValue, name.key])
            guard database.changesCount > 0 else { throw RegistryError.unknownZone(name) }
        }
        try truncateWriteAheadLog()
    }

    public func setTrim(
        startMeters: Double, finishMeters: Double, of id: DeviceID
    ) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "UPDATE device SET trimStartMeters = ?, trimFinishMeters = ? WHERE id = ?",
                arguments: [startMeters, finishMeters, id.rawValue])
            try Self.checkChanged(id, in: database)
        }
    }

    static func zonesByDevice(in database: Database) throws -> [DeviceID: [PrivacyZone]] {
        let rows = try Row.fetchAll(database, sql: "SELECT * FROM zone ORDER BY device, nameKey")
        return Dictionary(grouping: rows) { $0.device("device") }.mapValues { rows in
            rows.map { row in
                PrivacyZone(
                    name: row["name"], latitude: row["latitude"], longitude: row["longitude"],
                    radiusMeters: row["radiusMeters"],
                    offsetEastMeters: row["offsetEastMeters"],
                    offsetNorthMeters: row["offsetNorthMeters"])
            }
        }
    }
}
