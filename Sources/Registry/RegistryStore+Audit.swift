import GRDB
public import SensorModel

/// One access to a share.
///
/// An address is never stored in plain text. It is stored as a name that changes every day and is
/// derived with the master key.
public struct AuditEntry: Hashable, Sendable {
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// The viewer page or a stream was opened.
        case opened = 1
        /// A short code was exchanged for the link.
        case codeRedeemed = 2
        /// The owner displayed the link again.
        case revealed = 3
        case created = 4
        case rotated = 5
        case revoked = 6
        case cheered = 7
    }

    public var time: Timestamp
    /// `nil`: the entry belongs to no share.
    public var share: ShareKey?
    public var kind: Kind
    public var addressName: String

    public init(time: Timestamp, share: ShareKey?, kind: Kind, addressName: String) {
        self.time = time
        self.share = share
        self.kind = kind
        self.addressName = addressName
    }
}

extension RegistryStore {
    /// Entries kept in all; older ones are deleted.
    public static let auditEntriesMax = 100_000
    /// Entries kept for the shares of one device, so that it does not evict those of others.
    public static let auditEntriesPerDeviceMax = 10_000

    /// Adds many entries in one commit. Entries of shares deleted meanwhile are left out.
    public func addAudit(_ entries: [AuditEntry]) throws(RegistryError) {
        guard !entries.isEmpty else { return }
        try write { database in
            // Preparing takes longer than inserting.
            let insertion = try database.cachedStatement(
                sql: """
                    INSERT INTO audit (time, share, kind, addressName)
                        SELECT ?1, ?2, ?3, ?4
                        WHERE ?2 IS NULL OR EXISTS (SELECT 1 FROM share WHERE id = ?2)
                    """)
            for entry in entries {
                try insertion.execute(arguments: [
                    entry.time.column, entry.share?.rawValue, entry.kind.rawValue,
                    entry.addressName,
                ])
            }
            try Self.boundAudit(of: Set(entries.compactMap(\.share)), in: database)
        }
    }

    private static func boundAudit(of shares: Set<ShareKey>, in database: Database) throws {
        var devices: Set<Int64> = []
        for share in shares {
            let sql = "SELECT device FROM share WHERE id = ?"
            let found = try Int64.fetchOne(database, sql: sql, arguments: [share.rawValue])
            if let found { devices.insert(found) }
        }
        for device in devices {
            try database.execute(
                sql: """
                    DELETE FROM audit WHERE id IN (
                        SELECT audit.id FROM audit JOIN share ON share.id = audit.share
                            WHERE share.device = ? ORDER BY audit.id DESC LIMIT -1 OFFSET ?)
                    """,
                arguments: [device, Self.auditEntriesPerDeviceMax])
        }
        // IDs are not reused, so their range is an upper bound for the number of entries.
        try database.execute(
            sql: """
                DELETE FROM audit
                    WHERE (SELECT max(id) FROM audit) - (SELECT min(id) FROM audit) >= ?1
                    AND id <= (SELECT id FROM audit ORDER BY id DESC LIMIT 1 OFFSET ?1)
                """,
            arguments: [Self.auditEntriesMax])
    }

    /// Entries of a share, newest first.
    public func audit(
        of share: ShareKey, limit: Int = 1000
    ) throws(RegistryError) -> [AuditEntry] {
        try read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM audit WHERE share = ? ORDER BY id DESC LIMIT ?",
                arguments: [share.rawValue, limit]
            ).map { row in
                guard let kind = AuditEntry.Kind(rawValue: row["kind"]) else {
                    throw RegistryError.damagedRow(table: "audit")
                }
                return AuditEntry(
                    time: row.moment("time"), share: share, kind: kind,
                    addressName: row["addressName"])
            }
        }
    }
}
