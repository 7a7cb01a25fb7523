import Foundation
import GRDB
public import SensorModel

/// Where runs are delivered, and what of them was.
extension RegistryStore {
    /// A target's settings as they are sealed.
    private struct Settings: Codable {
        let kind: DeliveryTarget.Kind
        let address: String
        let secret: String?
        let sport: Int

        init(_ target: DeliveryTarget) {
            kind = target.kind
            address = target.address
            secret = target.secret
            sport = target.sport
        }
    }

    /// Adds a target, or changes the one of the same name, which keeps its number and its age.
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - device: Its device.
    ///   - seal: Seals its address and secret.
    /// - Throws: ``RegistryError/targetsFull(_:)``, ``RegistryError/unknownDevice(_:)``
    public func putTarget(
        _ target: DeliveryTarget, of device: DeviceID, seal: ([UInt8]) -> [UInt8]
    ) throws(RegistryError) {
        try write { database in
            let sealed = Data(seal(Array(try JSONEncoder().encode(Settings(target)))))
            try database.execute(
                sql: """
                    INSERT INTO deliveryTarget (device, nameKey, name, madeAt, sealed)
                        SELECT id, ?, ?, ?, ? FROM device WHERE id = ?
                        ON CONFLICT (device, nameKey) DO UPDATE
                            SET name = excluded.name, sealed = excluded.sealed
                    """,
                arguments: [
                    target.name.key, target.name, target.madeAt.column, sealed, device.rawValue,
                ])
            try Self.checkChanged(device, in: database)
            let count =
                try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM deliveryTarget WHERE device = ?",
                    arguments: [device.rawValue]) ?? 0
            guard count <= DeliveryTarget.perDeviceMax else {
                throw RegistryError.targetsFull(DeliveryTarget.perDeviceMax)
            }
        }
        // An earlier secret must not stay in the write-ahead log.
        try truncateWriteAheadLog()
    }

    /// Removes a target, and what is known of its deliveries.
    ///
    /// - Throws: ``RegistryError/unknownTarget(_:)``
    public func removeTarget(named name: String, of device: DeviceID) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM deliveryTarget WHERE device = ? AND nameKey = ?",
                arguments: [device.rawValue, name.key])
            guard database.changesCount > 0 else { throw RegistryError.unknownTarget(name) }
        }
        try truncateWriteAheadLog()
    }

    /// - Parameters:
    ///   - device: Device of the targets.
    ///   - open: Opens what was sealed; `nil`: sealed under another master key.
    /// - Returns: Targets by name, without those that cannot be opened.
    /// - Throws: ``RegistryError``
    public func targets(
        of device: DeviceID, open: ([UInt8]) -> [UInt8]?
    ) throws(RegistryError) -> [DeliveryTarget] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT id, name, madeAt, sealed FROM deliveryTarget
                    WHERE device = ? ORDER BY nameKey
                    """, arguments: [device.rawValue]
            ).compactMap { row in
                guard let text = open(row.bytes("sealed")),
                    let settings = try? JSONDecoder().decode(Settings.self, from: Data(text))
                else { return nil }
                var target = DeliveryTarget(
                    name: row["name"], kind: settings.kind, address: settings.address,
                    secret: settings.secret, sport: settings.sport, madeAt: row.moment("madeAt"))
                target.id = row["id"]
                return target
            }
        }
    }

    /// Devices that have a target.
    public func devicesWithTargets() throws(RegistryError) -> Set<DeviceID> {
        try read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT DISTINCT device FROM deliveryTarget")
            return Set(rows.map { $0.device("device") })
        }
    }

    // MARK: Deliveries

    /// Notes that a session is to be delivered.
    ///
    /// - Parameters:
    ///   - session: A session of the target's device.
    ///   - target: Number of the target.
    ///   - now: Time of the request.
    ///   - isAgain: Whether it is delivered although it was before.
    /// - Returns: The new delivery; `nil`: there is one already, or within a minute, or no such
    ///   target.
    /// - Throws: ``RegistryError/deliveriesFull(_:)``
    public func addDelivery(
        of session: SessionID, to target: Int64, at now: Timestamp, isAgain: Bool
    ) throws(RegistryError) -> Delivery? {
        try write { database in
            if isAgain {
                try database.execute(
                    sql: """
                        DELETE FROM delivery WHERE target = ? AND session = ? AND state <> 'waiting'
                            AND changedAt <= ?
                        """,
                    arguments: [
                        target, session.column,
                        now.advanced(bySeconds: -Delivery.againSeconds).column,
                    ])
            }
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO delivery
                        (target, session, device, state, tries, changedAt, dueAt)
                        SELECT id, ?, device, 'waiting', 0, ?, ? FROM deliveryTarget WHERE id = ?
                    """, arguments: [session.column, now.column, now.column, target])
            guard database.changesCount > 0 else { return nil }
            let id = database.lastInsertedRowID
            guard
                let row = try Row.fetchOne(
                    database, sql: "SELECT * FROM delivery WHERE id = ?", arguments: [id])
            else { return nil }
            let delivery = try Self.delivery(row)
            let waiting =
                try Int.fetchOne(
                    database,
                    sql: "SELECT count(*) FROM delivery WHERE target = ? AND state = 'waiting'",
                    arguments: [target]) ?? 0
            guard waiting <= Delivery.waitingMax else {
                throw RegistryError.deliveriesFull(Delivery.waitingMax)
            }
            return delivery
        }
    }

    /// Counts a try before it begins, so that a restart knows of it.
    ///
    /// - Returns: `false`: the delivery does not wait any more.
    public func beginDelivery(_ id: Int64, at now: Timestamp) throws(RegistryError) -> Bool {
        try write { database in
            try database.execute(
                sql: """
                    UPDATE delivery SET tries = tries + 1, changedAt = ?
                    WHERE id = ? AND state = 'waiting'
                    """, arguments: [now.column, id])
            return database.changesCount > 0
        }
    }

    /// Stores the outcome of a try. A delivery that is gone is no error: its session was erased, or
    /// its target removed.
    public func putOutcome(_ delivery: Delivery) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: """
                    UPDATE delivery SET state = ?, changedAt = ?, dueAt = ?, frames = ?, reason = ?
                    WHERE id = ?
                    """,
                arguments: [
                    delivery.state.rawValue, delivery.changedAt.column, delivery.dueAt.column,
                    delivery.frames, delivery.reason, delivery.id,
                ])
        }
    }

    /// - Parameters:
    ///   - device: Device of the deliveries.
    ///   - count: Most deliveries.
    /// - Returns: The newest, newest first.
    /// - Throws: ``RegistryError``
    public func deliveries(
        of device: DeviceID, newest count: Int
    ) throws(RegistryError) -> [Delivery] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM delivery WHERE device = ? ORDER BY id DESC LIMIT ?",
                arguments: [device.rawValue, count]
            ).map(Self.delivery)
        }
    }

    /// Deliveries that wait, `count` at most: first the one that is due first of each device, then
    /// the second of each, so that none keeps out another's.
    public func waitingDeliveries(max count: Int) throws(RegistryError) -> [Delivery] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT *, row_number() OVER (PARTITION BY device ORDER BY dueAt, id) AS turn
                    FROM delivery WHERE state = 'waiting' ORDER BY turn, dueAt, id LIMIT ?
                    """, arguments: [count]
            ).map(Self.delivery)
        }
    }

    private static func delivery(_ row: Row) throws(RegistryError) -> Delivery {
        guard let session = SessionID(column: row.bytes("session")),
            let state = Delivery.State(rawValue: row["state"])
        else { throw .damagedRow(table: "delivery") }
        var delivery = Delivery(
            id: row["id"], target: row["target"], session: session, device: row.device("device"),
            changedAt: row.moment("changedAt"), dueAt: row.moment("dueAt"))
        delivery.state = state
        delivery.tries = row["tries"]
        delivery.frames = row["frames"]
        delivery.reason = row["reason"]
        return delivery
    }
}
