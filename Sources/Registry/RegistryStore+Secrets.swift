import Foundation
import GRDB
public import SensorModel

/// A proof that was used once and is no longer accepted.
public struct UsedProof: Hashable, Sendable {
    public var proof: SecretHash
    public var device: DeviceID
    public var sentAt: Timestamp

    public init(proof: SecretHash, device: DeviceID, sentAt: Timestamp) {
        self.proof = proof
        self.device = device
        self.sentAt = sentAt
    }
}

/// A short code that was issued, sealed.
public struct SealedCode: Hashable, Sendable {
    /// Argument for ``RegistryStore/removeCode(_:)``.
    public var number: Int64
    public var share: ShareKey
    public var sealed: [UInt8]
    public var expiresAt: Timestamp
}

extension RegistryStore {
    /// Stores a used proof. It is on disk when the call returns, so it stays used after a crash.
    ///
    /// - Parameters:
    ///   - used: Proof of a device that is about to be welcomed.
    ///   - forgottenBefore: Proofs sent earlier are outside every window and are deleted.
    /// - Throws: ``RegistryError``; the device must then not be welcomed.
    public func addProof(
        _ used: UsedProof, forgottenBefore: Timestamp
    ) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM usedProof WHERE sentAt < ?", arguments: [forgottenBefore.column])
            try database.execute(
                sql: "INSERT OR REPLACE INTO usedProof (proof, device, sentAt) VALUES (?, ?, ?)",
                arguments: [used.proof.column, used.device.rawValue, used.sentAt.column])
        }
    }

    /// Adds a code, and removes codes that have expired by `now`, so that they do not pile up.
    ///
    /// - Returns: The number that ``removeCode(_:)`` takes once the code is used.
    public func addCode(
        sealed: [UInt8], for share: ShareKey, at now: Timestamp, until expiresAt: Timestamp
    ) throws(RegistryError) -> Int64 {
        try write { database in
            try database.execute(
                sql: "DELETE FROM shortCode WHERE expiresAt <= ?", arguments: [now.column])
            try database.execute(
                sql: "INSERT INTO shortCode (share, sealedCode, expiresAt) VALUES (?, ?, ?)",
                arguments: [share.rawValue, Data(sealed), expiresAt.column])
            return database.lastInsertedRowID
        }
    }

    /// Removes a code.
    ///
    /// Called before the share is shown for it, so that the code works only once even if the daemon
    /// crashes.
    public func removeCode(_ number: Int64) throws(RegistryError) {
        try write { database in
            try database.execute(
                sql: "DELETE FROM shortCode WHERE id = ?", arguments: [number])
        }
    }

    /// Removes all codes of some shares.
    public func withdrawCodes(of shares: [ShareKey]) throws(RegistryError) {
        try write { database in
            for share in shares { try Self.withdrawCodes(of: share, in: database) }
        }
    }

    static func withdrawCodes(of share: ShareKey, in database: Database) throws {
        try database.execute(
            sql: "DELETE FROM shortCode WHERE share = ?", arguments: [share.rawValue])
    }

    static func allProofs(in database: Database) throws -> [UsedProof] {
        try Row.fetchAll(database, sql: "SELECT * FROM usedProof").map { row in
            UsedProof(
                proof: try row.hash("proof", of: "usedProof"), device: row.device("device"),
                sentAt: row.moment("sentAt"))
        }
    }

    static func allCodes(in database: Database) throws -> [SealedCode] {
        try Row.fetchAll(database, sql: "SELECT * FROM shortCode ORDER BY id").map { row in
            SealedCode(
                number: row["id"], share: row.share("share"), sealed: row.bytes("sealedCode"),
                expiresAt: row.moment("expiresAt"))
        }
    }
}
