/// Who stands at the door, as far as limits go: an IPv4 address, or the /64 of an IPv6 one, since
/// whoever has one address of a /64 has them all.
public struct AddressKey: Hashable, Sendable {
    private let isWide: Bool
    private let bits: UInt64

    /// - Parameter bytes: 4 or 16, in network order. An IPv4 address inside an IPv6 one counts as
    ///   what it is. `nil` for any other length.
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

    /// `true` for 127.0.0.0/8 and ::1, as far as the /64 tells.
    public var isLoopback: Bool { isWide ? bits == 0 : bits >> 24 == 127 }

    /// What a keyed hash for the audit is made of.
    public var bytes: [UInt8] {
        stride(from: isWide ? 56 : 24, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: bits >> UInt64($0))
        }
    }

    /// ::ffff:a.b.c.d
    private static func isMapped(_ bytes: [UInt8]) -> Bool {
        bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
