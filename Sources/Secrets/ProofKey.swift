import Crypto
public import SensorModel

/// What a device proves to have instead of sending its token: made of the token, kept sealed.
public struct ProofKey: Sendable {
    /// Seconds a proof's `sentAt` may be off: for clocks that differ, and for slow networks.
    public static let windowSeconds = 300.0

    /// To be sealed, never to be shown.
    public let bytes: [UInt8]

    init(token: String) {
        bytes = Array(SHA256.hash(data: Array(("pulsecast-proof\n" + token).utf8)))
    }

    /// From ``bytes``; `nil` unless there are 32.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// The proof a device sends, as 64 lower-case hexadecimal digits.
    ///
    /// - Parameters:
    ///   - session: As it stands in the hello.
    ///   - sentAt: As it stands in the hello, digit for digit.
    /// - Returns: The text of the hello's `proof`.
    public func proof(session: String, sentAt: String) -> String {
        code(session: session, sentAt: sentAt).bytes.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    /// - Returns: The proof to remember, so that it works once; `nil` when it is wrong.
    public func verify(_ proof: String, session: String, sentAt: String) -> SecretHash? {
        let expected = code(session: session, sentAt: sentAt)
        guard let given = TextForm.bytes(hexadecimal: proof),
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
