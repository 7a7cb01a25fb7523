import Foundation
import GRDB
public import SensorModel

extension RegistryStore {
    /// A receiver's settings as they are sealed.
    private struct Settings: Codable {
        let kind: Receiver.Kind
        let address: String
        let secret: String?
        let silentMinutes: Int?
        let isTrusted: Bool
        let share: UInt32

        init(_ receiver: Receiver) {
            kind = receiver.kind
            address = receiver.address
            secret = receiver.secret
            silentMinutes = receiver.silentMinutes
            isTrusted = receiver.isTrusted
            share = receiver.share.rawValue
        }

        func receiver(named name: String) -> Receiver {
            Receiver(
                name: name, kind: kind, address: address, secret: secret,
                silentMinutes: silentMinutes, isTrusted: isTrusted,
                share: ShareKey(rawValue: share))
        }
    }

    /// Adds a receiver, or replaces the one of the same name.
    ///
    /// - Parameters:
    ///   - receiver: The receiver.
    ///   - device: Its device.
    ///   - seal: Seals its address and secret.
    /// - Throws: ``RegistryError/receiversFull(_:)``, ``RegistryError/unknownDevice(_:)``
    public func putReceiver(
        _ receiver: Receiver, of device: DeviceID, seal: ([UInt8]) -> [UInt8]
    ) throws(RegistryError) {
        try write { database in
            let settings = try JSONEncoder().encode(Settings(receiver))
            try database.execute(
                sql: "DELETE FROM receiver WHERE device = ? AND nameKey = ?",
                arguments: [device.rawValue, receiver.name.key])
            let others =
                try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM receiver WHERE device = ?",
                    arguments: [device.rawValue]) ?? 0
            guard others < Receiver.perDeviceMax else {
                throw RegistryError.receiversFull(Receiver.perDeviceMax)
            }
            try database.execute(
                sql: """
                    INSERT INTO receiver (device, nameKey, name, silentMinutes, share, sealed)
                        SELECT id, ?, ?, ?, ?, ? FROM device WHERE id = ?
                    """,
                arguments: [
                    receiver.name.key, receiver.name, receiver.silentMinutes,
                    receiver.share.rawValue, Data(seal(Array(settings))), device.rawValue,
                ])
            try Self.checkChanged(device, in: database)
        }
        try truncateWriteAheadLog()
    }

    /// - Throws: ``RegistryError/unknownReceiver(_:)``
    public func removeReceiver(named name: String, of device: DeviceID) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM receiver WHERE device = ? AND nameKey = ?",
                arguments: [device.rawValue, name.key])
            guard database.changesCount > 0 else { throw RegistryError.unknownReceiver(name) }
        }
        try truncateWriteAheadLog()
    }

    /// - Parameters:
    ///   - device: Device of the receivers.
    ///   - open: Opens what was sealed; `nil`: sealed under another master key.
    /// - Returns: Receivers by name, without those that cannot be opened.
    /// - Throws: ``RegistryError``
    public func receivers(
        of device: DeviceID, open: ([UInt8]) -> [UInt8]?
    ) throws(RegistryError) -> [Receiver] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT name, sealed FROM receiver WHERE device = ? ORDER BY nameKey",
                arguments: [device.rawValue]
            ).compactMap { row in
                guard let text = open(row.bytes("sealed")),
                    let settings = try? JSONDecoder().decode(Settings.self, from: Data(text))
                else { return nil }
                return settings.receiver(named: row["name"])
            }
        }
    }

    /// Shares of which receivers get a link with each alert.
    public func receiverShares() throws(RegistryError) -> Set<ShareKey> {
        try read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT DISTINCT share FROM receiver")
            return Set(rows.map { $0.share("share") })
        }
    }

    /// The least minutes of silence of which a receiver is told, for each device with a receiver;
    /// `nil`: none is told.
    public func silentMinutes() throws(RegistryError) -> [DeviceID: Int?] {
        try read { database in
            let rows = try Row.fetchAll(
                database,
                sql: "SELECT device, min(silentMinutes) AS least FROM receiver GROUP BY device")
            return Dictionary(
                uniqueKeysWithValues: rows.map { ($0.device("device"), $0["least"] as Int?) })
        }
    }
}
