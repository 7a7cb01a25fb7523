/// SHA-256 of a secret, stored and looked up in place of a token or a share's ID.
///
/// It has four words and no array, so that a dictionary of them needs no allocation for each.
public struct SecretHash: Hashable, Sendable {
    public static let byteCount = 32

    private let words: SIMD4<UInt64>

    /// The hash of no secret.
    public static let zero = SecretHash(words: .zero)

    private init(words: SIMD4<UInt64>) {
        self.words = words
    }

    /// Returns `nil` unless there are exactly 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        self.init(bytes: Array(bytes))
    }

    /// As the other one; without generic calls a byte.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        var words = SIMD4<UInt64>()
        for index in 0..<Self.byteCount {
            words[index / 8] = words[index / 8] << 8 | UInt64(bytes[index])
        }
        self.words = words
    }

    public var bytes: [UInt8] {
        (0..<Self.byteCount).map { index in
            UInt8(truncatingIfNeeded: words[index / 8] >> UInt64(56 - 8 * (index % 8)))
        }
    }
}
