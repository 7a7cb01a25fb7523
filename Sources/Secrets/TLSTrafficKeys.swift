import Crypto
import Foundation

/// The keys of one direction of a TLS 1.3 connection: they seal records or open them.
///
/// Source: RFC 8446, sections 5.2 to 5.5 (records, nonces, limits) and 7.1 to 7.3 (keys).
public struct TLSTrafficKeys: Sendable {
    public enum Suite: UInt16, Sendable {
        case aes128 = 0x1301
        case aes256 = 0x1302
        case chaCha20 = 0x1303

        var keyBytes: Int { self == .aes128 ? 16 : 32 }
        var hashBytes: Int { self == .aes256 ? 48 : 32 }
    }

    /// Type of a record's content, its last byte before encryption.
    public enum Content: UInt8, Sendable {
        case alert = 21
        case handshake = 22
        case application = 23
    }

    /// Longest content of a record, without its type.
    public static let contentBytesMax = 16_384
    public static let headerBytes = 5
    /// Bytes that encryption adds to content and type.
    static let tagBytes = 16
    private static let nonceBytes = 12
    /// A key is replaced after this many records. AES-GCM allows 2^24.5 records of maximum length.
    static let recordsMax: UInt64 = 1 << 23

    private let suite: Suite
    private var secret: SymmetricKey
    private var key: SymmetricKey
    private var initialVector: [UInt8]
    /// Number of the next record under this key.
    private var sequence: UInt64

    /// - Parameters:
    ///   - suite: The connection's cipher suite.
    ///   - secret: Application traffic secret of this direction.
    ///   - sequence: Records that were already made or opened with it.
    /// `nil` if the secret is not as long as the suite's hash.
    public init?(suite: Suite, secret: [UInt8], sequence: UInt64) {
        guard secret.count == suite.hashBytes else { return nil }
        self.suite = suite
        self.secret = SymmetricKey(data: secret)
        self.sequence = sequence
        key = SymmetricKey(data: Self.expand(self.secret, "key", suite.keyBytes, suite))
        initialVector = Self.expand(self.secret, "iv", Self.nonceBytes, suite)
    }

    /// Whether the key must be replaced before the next record.
    public var isWornOut: Bool { sequence >= Self.recordsMax }

    /// Appends one record to `records`.
    ///
    /// - Parameters:
    ///   - inner: Content and its type as last byte; the content has at most
    ///     ``contentBytesMax`` bytes.
    ///   - records: Where the record goes.
    public mutating func seal(_ inner: [UInt8], into records: inout [UInt8]) {
        precondition(inner.count <= Self.contentBytesMax + 1)
        let header = Self.header(bytes: inner.count + Self.tagBytes)
        let nonce = nextNonce()
        records += header
        // Sealing cannot fail with keys and nonces of these sizes. If it did, the peer would get a
        // record that does not open, never content in plain text.
        switch suite {
        case .aes128, .aes256:
            guard let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.seal(
                    inner, using: key, nonce: nonce, authenticating: header)
            else { return }
            records += box.ciphertext
            records += box.tag
        case .chaCha20:
            guard let nonce = try? ChaChaPoly.Nonce(data: nonce),
                let box = try? ChaChaPoly.seal(
                    inner, using: key, nonce: nonce, authenticating: header)
            else { return }
            records += box.ciphertext
            records += box.tag
        }
    }

    /// Opens one record.
    ///
    /// - Parameter record: The whole record, header first.
    /// - Returns: Its content without padding, and the content's type.
    /// - Throws: ``TLSRecordError``
    public mutating func open(
        _ record: [UInt8]
    ) throws(TLSRecordError) -> (content: [UInt8], type: Content) {
        guard record.count > Self.headerBytes + Self.tagBytes else { throw .tooShort }
        let header = record[..<Self.headerBytes]
        let body = record[Self.headerBytes..<(record.count - Self.tagBytes)]
        let tag = record[(record.count - Self.tagBytes)...]
        let nonce = nextNonce()
        let opened: Data
        do {
            switch suite {
            case .aes128, .aes256:
                let box = try AES.GCM.SealedBox(
                    nonce: AES.GCM.Nonce(data: nonce), ciphertext: body, tag: tag)
                opened = try AES.GCM.open(box, using: key, authenticating: header)
            case .chaCha20:
                let box = try ChaChaPoly.SealedBox(
                    nonce: ChaChaPoly.Nonce(data: nonce), ciphertext: body, tag: tag)
                opened = try ChaChaPoly.open(box, using: key, authenticating: header)
            }
        } catch {
            throw .notAuthentic
        }
        var content = Array(opened)
        while content.last == 0 { content.removeLast() }
        guard let last = content.popLast(), let type = Content(rawValue: last) else {
            throw .unknownContent
        }
        guard content.count <= Self.contentBytesMax else { throw .tooLong }
        return (content, type)
    }

    /// Replaces the key by its successor, as after a KeyUpdate message.
    public mutating func update() {
        secret = SymmetricKey(data: Self.expand(secret, "traffic upd", suite.hashBytes, suite))
        key = SymmetricKey(data: Self.expand(secret, "key", suite.keyBytes, suite))
        initialVector = Self.expand(secret, "iv", Self.nonceBytes, suite)
        sequence = 0
    }

    private static func header(bytes: Int) -> [UInt8] {
        [Content.application.rawValue, 3, 3, UInt8(bytes >> 8), UInt8(truncatingIfNeeded: bytes)]
    }

    /// The initial vector with the record's number in its last eight bytes.
    private mutating func nextNonce() -> [UInt8] {
        var nonce = initialVector
        for index in 0..<8 {
            nonce[Self.nonceBytes - 1 - index] ^= UInt8(
                truncatingIfNeeded: sequence >> (8 * UInt64(index)))
        }
        sequence += 1
        return nonce
    }

    /// `HKDF-Expand-Label` with an empty context. Nothing here is longer than the hash, so that
    /// the first block of HKDF-Expand (RFC 5869) is all of it.
    private static func expand(
        _ secret: SymmetricKey, _ label: String, _ bytes: Int, _ suite: Suite
    ) -> [UInt8] {
        precondition(bytes <= suite.hashBytes)
        let name = Array("tls13 \(label)".utf8)
        let block = [0, UInt8(bytes), UInt8(name.count)] + name + [0, 1]
        let code =
            suite == .aes256
            ? Array(HMAC<SHA384>.authenticationCode(for: block, using: secret))
            : Array(HMAC<SHA256>.authenticationCode(for: block, using: secret))
        return Array(code.prefix(bytes))
    }
}

/// Why a record cannot be opened.
public enum TLSRecordError: Error, Hashable, Sendable {
    case tooShort, tooLong, notAuthentic, unknownContent
}
