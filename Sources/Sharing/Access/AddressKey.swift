/// A client address for rate limits: an IPv4 address, or the /64 of an IPv6 one, since a client
/// usually controls the whole /64.
public struct AddressKey: Hashable, Sendable {
    private let isWide: Bool
    private let bits: UInt64

    private init(isWide: Bool, bits: UInt64) {
        self.isWide = isWide
        self.bits = bits
    }

    /// - Parameter bytes: 4 or 16 bytes in network order. An IPv4 address inside an IPv6 one counts
    ///   as IPv4. `nil` for any other length.
    public init?(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        switch bytes.count {
        case 4:
            isWide = false
            bits = Self.word(bytes[...])
        case 16 where Self.isMapped(bytes):
            isWide = false
            bits = Self.word(bytes[12...])
        case 16:
            isWide = true
            bits = Self.word(bytes[..<8])
        default:
            return nil
        }
    }

    /// `true` for 127.0.0.0/8 and the /64 of ::1: an IPv6 address is kept as its /64 only.
    public var isLoopback: Bool { isWide ? bits == 0 : bits >> 24 == 127 }

    /// The bytes that the audit hashes with its key: 4 for IPv4, 8 for IPv6.
    public var bytes: [UInt8] {
        stride(from: isWide ? 56 : 24, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: bits >> UInt64($0))
        }
    }

    /// The IPv6 network of `length` bits around the address, 64 at most; `nil` for an IPv4 address,
    /// whose neighbors are other people.
    func network(_ length: Int) -> AddressKey? {
        guard isWide else { return nil }
        return AddressKey(isWide: true, bits: bits & ~(UInt64.max >> UInt64(length)))
    }

    /// Whether the address is ::ffff:a.b.c.d.
    private static func isMapped(_ bytes: [UInt8]) -> Bool {
        bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
