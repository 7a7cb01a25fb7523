import Bytes
import Crypto
public import SensorModel

/// The key whose possession a device proves instead of sending its token. It is derived from the
/// token and stored sealed.
public struct ProofKey: Sendable {
    /// Seconds by which a proof's `sentAt` may be off, for clocks that differ and for slow
    /// networks.
    public static let windowSeconds = 300.0

    /// Stored sealed; never shown.
    public let bytes: [UInt8]

    init(token: String) {
        bytes = Array(SHA256.hash(data: Array(("pulsecast-proof\n" + token).utf8)))
    }

    /// Restores a key from ``bytes``; `nil` unless there are 32.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// The proof a device sends, as 64 lower-case hexadecimal digits.
    ///
    /// - Parameters:
    ///   - session: As written in the hello.
    ///   - sentAt: As written in the hello, digit for digit.
    /// - Returns: The text of the hello's `proof`.
    public func proof(session: String, sentAt: String) -> String {
        Hexadecimal.text(of: code(session: session, sentAt: sentAt).bytes)
    }

    /// - Returns: The proof to remember, so that it is accepted only once; `nil` if it is wrong.
    public func verify(_ proof: String, session: String, sentAt: String) -> SecretHash? {
        let expected = code(session: session, sentAt: sentAt)
        guard let given = Hexadecimal.bytes(of: proof.utf8),
            ConstantTime.areEqual(given, expected.bytes)
        else { return nil }
        return expected
    }

    private func code(session: String, sentAt: String) -> SecretHash {
        SecretHash(
            HMAC<SHA256>.authenticationCode(
                for: Array("\(session)\n\(sentAt)".utf8), using: SymmetricKey(data: bytes)))
    }
}
