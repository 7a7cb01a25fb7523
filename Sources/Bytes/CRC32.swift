/// CRC-32 of IEEE 802.3 with reflected bits: the checksum of gzip, zip, PNG and MCAP.
package struct CRC32 {
    @usableFromInline
    static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
    }

    @usableFromInline
    var register: UInt32 = .max

    package init() {}

    @inlinable
    package var value: UInt32 { ~register }

    @inlinable
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        let table = Self.table
        var register = register
        for byte in bytes {
            register = register >> 8 ^ table[Int(UInt8(truncatingIfNeeded: register) ^ byte)]
        }
        self.register = register
    }

    @inlinable
    package static func value(of bytes: some Sequence<UInt8>) -> UInt32 {
        var check = CRC32()
        check.add(bytes)
        return check.value
    }
}
