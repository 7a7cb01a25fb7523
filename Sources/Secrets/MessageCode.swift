import Bytes
import Crypto

/// Hashes of data that is not secret: an identifier derived from names, a message's signature.
public enum MessageCode {
    /// The first 16 bytes of SHA-256 as two big-endian numbers.
    public static func identifier(of text: String) -> (high: UInt64, low: UInt64) {
        var numbers: (high: UInt64, low: UInt64) = (0, 0)
        for (index, byte) in SHA256.hash(data: Array(text.utf8)).prefix(16).enumerated() {
            if index < 8 {
                numbers.high = numbers.high << 8 | UInt64(byte)
            } else {
                numbers.low = numbers.low << 8 | UInt64(byte)
            }
        }
        return numbers
    }

    /// HMAC-SHA256 as 64 lower-case hexadecimal digits.
    public static func signature(of message: [UInt8], key: [UInt8]) -> String {
        Hexadecimal.text(
            of: HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}

/// HMAC-SHA256 of a message that comes in parts.
public struct MessageSigner: Sendable {
    private var code: HMAC<SHA256>

    public init(key: [UInt8]) {
        code = HMAC(key: SymmetricKey(data: key))
    }

    public mutating func append(_ part: [UInt8]) { code.update(data: part) }

    /// The signature of the parts so far, as 64 lower-case hexadecimal digits.
    public var signature: String { Hexadecimal.text(of: code.finalize()) }
}
