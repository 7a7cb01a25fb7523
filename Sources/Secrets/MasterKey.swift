import Bytes
import Crypto
public import SensorModel

/// The one key of an installation. It seals secrets that must be read again, and keys hashes of
/// values that are only compared.
public struct MasterKey: Sendable {
    private let sealing: SymmetricKey
    private let auditing: SymmetricKey

    static let byteCount = 32

    /// `nil` unless `bytes` has 32 elements.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        let master = SymmetricKey(data: bytes)
        // One key per use: a leak of one reveals nothing about the other.
        sealing = Self.derive("pulsecast seal", from: master)
        auditing = Self.derive("pulsecast audit", from: master)
    }

    /// - Returns: Nonce, ciphertext and tag, for ``open(_:for:)`` with the same purpose.
    public func seal(_ secret: [UInt8], for purpose: SealPurpose) -> [UInt8] {
        let box = try? AES.GCM.seal(
            secret, using: sealing, authenticating: purpose.associatedData)
        // Sealing cannot fail with a 256-bit key and a generated nonce. An empty result would be a
        // seal that does not open, never a secret in plain text.
        return box?.combined.map(Array.init) ?? []
    }

    /// - Throws: ``SecretsError/sealBroken(_:)``
    public func open(
        _ sealed: [UInt8], for purpose: SealPurpose
    ) throws(SecretsError) -> [UInt8] {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            return Array(
                try AES.GCM.open(box, using: sealing, authenticating: purpose.associatedData))
        } catch {
            // The library's reasons (size, tag) would help only an attacker.
            throw .sealBroken(purpose)
        }
    }

    /// The name that the audit stores instead of an address.
    ///
    /// It changes every day: viewers of one day can be told apart, but not tracked from day to day.
    ///
    /// - Parameters:
    ///   - address: The address's bytes.
    ///   - time: Time of the visit.
    /// - Returns: 16 hexadecimal digits.
    public func auditName(ofAddress address: [UInt8], at time: Timestamp) -> String {
        let day = time.microseconds / 86_400_000_000
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(day)\n".utf8) + address, using: auditing)
        return Hexadecimal.text(of: code.prefix(8))
    }

    /// Signs what the nodes of a cluster send each other.
    public var clusterSigner: ClusterSigner {
        ClusterSigner(key: Self.derive("pulsecast cluster", from: auditing))
    }

    private static func derive(_ name: String, from master: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: master, info: Array(name.utf8), outputByteCount: byteCount)
    }
}
