/// A connection's source address, the key of limits and failure counts.
public struct PeerAddress: Hashable, Sendable {
    /// IPv6, or IPv4 in its mapped form, most significant half first.
    private let high: UInt64
    private let low: UInt64
    /// Whether the peer uses a Unix socket; such peers count as the machine's own.
    public let isUnixSocket: Bool

    /// The unit of limits: an IPv4 address, or an IPv6 network of 64 bits, because a user with one
    /// address of such a network has all of them.
    public struct Network: Hashable, Sendable {
        let high: UInt64
        let low: UInt64
    }

    /// An address, or one of the networks around it.
    struct Prefix: Hashable, Sendable {
        /// Number of prefix lengths. IPv6: 128, 64, 56, 48 bits; IPv4: 32 and 24.
        static let levels = 4

        let high: UInt64
        let low: UInt64
        let bits: UInt8
        /// Multiple of one address's limit: a home has a /56, a hosting customer a /48.
        var places: Int {
            switch bits {
            case 64: 2
            case 56, 24: 4
            case 48: 8
            default: 1
            }
        }
    }

    /// Prefixes of the address, the narrowest first.
    var prefixes: [Prefix] {
        if isIPv4 {
            return [
                Prefix(high: high, low: low, bits: 32),
                Prefix(high: high, low: low & ~0xFF, bits: 24),
            ]
        }
        return [
            Prefix(high: high, low: low, bits: 128), Prefix(high: high, low: 0, bits: 64),
            Prefix(high: high & ~0xFF, low: 0, bits: 56),
            Prefix(high: high & ~0xFFFF, low: 0, bits: 48),
        ]
    }

    /// The last of ``prefixes``.
    var widestNetwork: Prefix {
        isIPv4
            ? Prefix(high: high, low: low & ~0xFF, bits: 24)
            : Prefix(high: high & ~0xFFFF, low: 0, bits: 48)
    }

    public static let unixSocket = PeerAddress(high: 0, low: 1, isUnixSocket: true)

    private init(high: UInt64, low: UInt64, isUnixSocket: Bool) {
        self.high = high
        self.low = low
        self.isUnixSocket = isUnixSocket
    }

    /// - Parameter bytes: 4 or 16 bytes, most significant first. `nil` for any other number.
    public init?(bytes: [UInt8]) {
        func number(_ part: some Sequence<UInt8>) -> UInt64 {
            part.reduce(0) { $0 << 8 | UInt64($1) }
        }
        switch bytes.count {
        case 4: self.init(high: 0, low: Self.mappedPrefix | number(bytes), isUnixSocket: false)
        case 16:
            self.init(
                high: number(bytes[..<8]), low: number(bytes[8...]), isUnixSocket: false)
        default: return nil
        }
    }

    private static let mappedPrefix: UInt64 = 0xFFFF_0000_0000

    /// 4 bytes for an IPv4 address, else 16, most significant first.
    public var bytes: [UInt8] {
        let wide = [high, low].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
        return isIPv4 ? Array(wide.suffix(4)) : wide
    }

    private var isIPv4: Bool { high == 0 && low & ~0xFFFF_FFFF == Self.mappedPrefix }

    public var isLoopback: Bool {
        isUnixSocket || (isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1)
    }

    public var network: Network {
        isIPv4 ? Network(high: high, low: low) : Network(high: high, low: isLoopback ? low : 0)
    }
}

extension PeerAddress: CustomStringConvertible {
    /// The usual text form of the address, without a port. Personal data: not for the journal.
    public var description: String {
        if isUnixSocket { return "unix" }
        if isIPv4 {
            return (0..<4).map { String(low >> UInt64(24 - 8 * $0) & 0xFF) }
                .joined(separator: ".")
        }
        return (0..<8).map { group in
            let half = group < 4 ? high : low
            return String(half >> UInt64(48 - 16 * (group & 3)) & 0xFFFF, radix: 16)
        }.joined(separator: ":")
    }
}
