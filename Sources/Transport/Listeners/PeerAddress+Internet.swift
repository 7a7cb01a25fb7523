extension PeerAddress {
    /// Networks of IPv4 that are not of the internet, as their first address and prefix length (RFC
    /// 6890).
    private static let otherNetworks: [(head: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8),
        (0xA9FE_0000, 16), (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24),
        (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24),
        (0xCB00_7100, 24), (0xE000_0000, 3),
    ]

    /// Whether it is an address of the internet, and of no machine or network nearby. A connection
    /// whose target somebody else chose may only go to such a one.
    ///
    /// Of IPv6 only 2000::/3 is in use on the internet (RFC 4291), without documentation and without
    /// networks that hold an IPv4 address (Teredo, 6to4), which may be any.
    public var isOfInternet: Bool {
        guard !isUnixSocket else { return false }
        let head = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard bytes.count == 16 else {
            return Self.otherNetworks.allSatisfy {
                head >> (32 - $0.bits) != $0.head >> (32 - $0.bits)
            }
        }
        return head >> 29 == 1 && head != 0x2001_0DB8 && head != 0x2001_0000
            && head >> 16 != 0x2002 && head >> 12 != 0x3FFF_0
    }
}
