import Crypto
public import SensorModel

/// The secret in a link to the administration page, or of a session of that page: 128 random bits.
///
/// The type has no `description`, so that a secret cannot get into a log line by accident.
public struct AdminSecret: Sendable {
    /// Distinguishes it from other secrets, for people and for scanners of leaked secrets.
    public static let prefix = "pa_"
    private static let byteCount = 16

    private let bytes: [UInt8]

    public init(using generator: inout some RandomNumberGenerator) {
        bytes = (0..<Self.byteCount).map { _ in .random(in: .min ... .max, using: &generator) }
    }

    /// `nil` unless `text` has the form that ``text`` prints.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.prefix.utf8.count + 22, text.hasPrefix(Self.prefix),
            let bytes = TextForm.bytes(base64URL: text.dropFirst(Self.prefix.count)),
            bytes.count == Self.byteCount
        else { return nil }
        self.bytes = bytes
    }

    /// `pa_` and 22 characters of base64url.
    public var text: String { Self.prefix + TextForm.base64URL(bytes) }

    /// The hash that is kept instead of the secret, and by which it is looked up.
    public var hash: SecretHash {
        SecretHash(SHA256.hash(data: Array("pulsecast-admin\n".utf8) + bytes))
    }
}
