import Crypto
public import SensorModel

/// The secret with which a device authenticates: 256 random bits.
///
/// The type has no `description`, so that a token cannot get into a log line by accident. Use
/// ``text`` to show it to a person, which happens once.
public struct DeviceToken: Sendable {
    /// Distinguishes a token from other secrets, for people and for scanners of leaked secrets.
    public static let prefix = "pc_"

    private let bytes: [UInt8]

    public init(using generator: inout some RandomNumberGenerator) {
        bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// `nil` unless `text` has the form that ``text`` prints.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.prefix.utf8.count + 43, text.hasPrefix(Self.prefix),
            let bytes = TextForm.bytes(base64URL: text.dropFirst(Self.prefix.count)),
            bytes.count == 32
        else { return nil }
        self.bytes = bytes
    }

    /// `pc_` and 43 characters of base64url.
    public var text: String { Self.prefix + TextForm.base64URL(bytes) }

    /// The hash that is stored instead of the token, and by which a device is looked up.
    public var hash: SecretHash { SecretHash(SHA256.hash(data: Array(text.utf8))) }

    public var proofKey: ProofKey { ProofKey(token: text) }
}

extension SecretHash {
    init(_ digest: SHA256.Digest) {
        // A SHA-256 digest has 32 bytes, so the fallback is unreachable.
        self = SecretHash(bytes: Array(digest)) ?? .zero
    }

    init(_ code: HMAC<SHA256>.MAC) {
        self = SecretHash(bytes: Array(code)) ?? .zero
    }
}
