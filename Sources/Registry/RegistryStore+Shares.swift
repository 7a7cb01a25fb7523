import Foundation
import GRDB
public import SensorModel

extension RegistryStore {
    /// - Parameters:
    ///   - draft: The share; its key is ignored.
    ///   - sealID: Seals the share's ID for the share's key.
    /// - Returns: The share with its key.
    /// - Throws: ``RegistryError/nameTaken(_:)``
    public func addShare(
        _ draft: Share, sealID: (ShareKey) -> [UInt8]
    ) throws(RegistryError) -> Share {
        try write { database in
            let taken = try Int.fetchOne(
                database, sql: "SELECT 1 FROM share WHERE nameKey = ?",
                arguments: [Self.nameKey(of: draft)])
            guard taken == nil else { throw RegistryError.nameTaken(draft.name) }
            try database.execute(
                sql: """
                    INSERT INTO share (name, nameKey, idHash, sealedID, device, scope,
                        delaySeconds, expiresAt, maxViewers, label, publicName, groupOwner,
                        createdAt, revokedAt)
                        VALUES (?, ?, ?, x'', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    draft.name, Self.nameKey(of: draft), draft.idHash.column,
                    draft.device?.rawValue,
                    draft.scope.rawValue, draft.delaySeconds, draft.expiresAt?.column,
                    draft.maxViewers, draft.label, draft.publicName?.text,
                    draft.groupOwner?.rawValue,
                    draft.createdAt.column, draft.revokedAt?.column,
                ])
            var share = draft
            share.key = ShareKey(rawValue: UInt32(database.lastInsertedRowID))
            try database.execute(
                sql: "UPDATE share SET sealedID = ? WHERE id = ?",
                arguments: [Data(sealID(share.key)), share.key.rawValue])
            try Self.put(draft.members, of: share.key, in: database)
            return share
        }
    }

    /// Replaces the members of a group.
    public func setMembers(_ members: [ShareKey], of group: ShareKey) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM groupMember WHERE groupShare = ?", arguments: [group.rawValue])
            try Self.put(members, of: group, in: database)
        }
    }

    private static func put(
        _ members: [ShareKey], of group: ShareKey, in database: Database
    ) throws {
        for (position, member) in members.enumerated() {
            try database.execute(
                sql: "INSERT INTO groupMember (groupShare, position, member) VALUES (?, ?, ?)",
                arguments: [group.rawValue, position, member.rawValue])
        }
    }

    /// Key of a name, which is unique among the shares of a device, and among groups.
    private static func nameKey(of share: Share) -> String {
        (share.device.map { String($0.rawValue) } ?? "") + "\n" + share.name.key
    }

    public func shares() throws(RegistryError) -> [Share] {
        try read { try Self.allShares(in: $0) }
    }

    /// The sealed ID, for an owner who requests the link again.
    ///
    /// - Throws: ``RegistryError/unknownShare(_:)``
    public func sealedID(of key: ShareKey) throws(RegistryError) -> [UInt8] {
        try read { database in
            let sealed = try Data.fetchOne(
                database, sql: "SELECT sealedID FROM share WHERE id = ?",
                arguments: [key.rawValue])
            guard let sealed else { throw RegistryError.unknownShare("number \(key.rawValue)") }
            return Array(sealed)
        }
    }

    /// Replaces the ID. Codes for the old ID are revoked.
    public func rotateShare(
        _ key: ShareKey, idHash: SecretHash, sealedID: [UInt8]
    ) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "UPDATE share SET idHash = ?, sealedID = ? WHERE id = ?",
                arguments: [idHash.column, Data(sealedID), key.rawValue])
            try Self.checkChanged(key, in: database)
            try Self.withdrawCodes(of: key, in: database)
        }
    }

    /// Erases the share with its audit, as if it had never existed.
    public func deleteShare(_ key: ShareKey) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM share WHERE id = ?", arguments: [key.rawValue])
            try Self.checkChanged(key, in: database)
            try Self.deleteEmptyGroups(in: database)
        }
        try truncateWriteAheadLog()
    }

    /// Deletes groups without members: they can never show anything again.
    static func deleteEmptyGroups(in database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM share WHERE device IS NULL
                    AND id NOT IN (SELECT groupShare FROM groupMember)
                """)
    }

    /// Stores many counts in one commit.
    public func setViewersEver(_ counts: [ShareKey: Int]) throws(RegistryError) {
        guard !counts.isEmpty else { return }
        try write { database in
            for (key, count) in counts {
                try database.execute(
                    sql: "UPDATE share SET viewersEver = ? WHERE id = ?",
                    arguments: [count, key.rawValue])
            }
        }
    }

    static func viewersEver(in database: Database) throws -> [ShareKey: Int] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT id, viewersEver FROM share WHERE viewersEver > 0")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.share("id"), $0["viewersEver"]) })
    }

    static func allShares(in database: Database) throws -> [Share] {
        let members = try Row.fetchAll(
            database,
            sql: "SELECT groupShare, member FROM groupMember ORDER BY groupShare, position")
        let membersByGroup = Dictionary(grouping: members) { $0.share("groupShare") }
        return try Row.fetchAll(database, sql: "SELECT * FROM share ORDER BY id").map { row in
            let members = membersByGroup[row.share("id")] ?? []
            return try share(row, members: members.map { $0.share("member") })
        }
    }

    private static func share(_ row: Row, members: [ShareKey]) throws(RegistryError) -> Share {
        let device = (row["device"] as UInt32?).map(DeviceID.init(rawValue:))
        return Share(
            key: row.share("id"), name: row["name"], idHash: try row.hash("idHash", of: "share"),
            target: device.map(Share.Target.device) ?? .group(members),
            scope: Scope(rawValue: row["scope"]), delaySeconds: row["delaySeconds"],
            expiresAt: row.time("expiresAt"), maxViewers: row["maxViewers"], label: row["label"],
            publicName: (row["publicName"] as String?).flatMap { PublicName($0) },
            groupOwner: (row["groupOwner"] as UInt32?).map(DeviceID.init(rawValue:)),
            createdAt: row.moment("createdAt"), revokedAt: row.time("revokedAt"))
    }

    private static func checkChanged(_ key: ShareKey, in database: Database) throws(RegistryError) {
        guard database.changesCount > 0 else { throw .unknownShare("number \(key.rawValue)") }
    }
}
