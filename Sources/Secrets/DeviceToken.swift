import Crypto
public import SensorModel

/// The secret with which a device says who it is: 256 random bits.
///
/// It has no `description`, so that it cannot slip into a log line; ask for ``text`` where a
/// person is meant to see it, which is once.
public struct DeviceToken: Sendable {
    /// Tells a token from other secrets, for a person and for scanners of leaked secrets.
    public static let prefix = "pc_"

    private let bytes: [UInt8]

    public init(using generator: inout some RandomNumberGenerator) {
        bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// `nil` unless `text` is what ``text`` prints for some token.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.prefix.utf8.count + 43, text.hasPrefix(Self.prefix),
            let bytes = TextForm.bytes(base64URL: text.dropFirst(Self.prefix.count)),
            bytes.count == 32
        else { return nil }
        self.bytes = bytes
    }

    /// `pc_` and 43 characters of base64url.
    public var text: String { Self.prefix + TextForm.base64URL(bytes) }

    /// What is stored in the token's place, and what a device is looked up by.
    public var hash: SecretHash { SecretHash(SHA256.hash(data: Array(text.utf8))) }

    public var proofKey: ProofKey { ProofKey(token: text) }
}

extension SecretHash {
    init(_ digest: SHA256.Digest) {
        // A digest of SHA-256 is 32 bytes: the fallback cannot be reached.
        self = SecretHash(bytes: Array(digest)) ?? .zero
    }

    init(_ code: HMAC<SHA256>.MAC) {
        self = SecretHash(bytes: Array(code)) ?? .zero
    }
}
