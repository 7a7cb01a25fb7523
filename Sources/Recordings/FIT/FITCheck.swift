/// The 16-bit checksum (CRC) of FIT, computed over nibbles.
struct FITCheck {
    private static let table: [UInt16] = [
        0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401,
        0xA001, 0x6C00, 0x7800, 0xB401, 0x5000, 0x9C01, 0x8801, 0x4400,
    ]

    private(set) var value: UInt16 = 0

    mutating func add(_ byte: UInt8) {
        for nibble in [byte & 0x0F, byte >> 4] {
            let carried = Self.table[Int(value & 0x0F)]
            value = value >> 4 & 0x0FFF ^ carried ^ Self.table[Int(nibble)]
        }
    }

    static func value(of bytes: some Sequence<UInt8>) -> UInt16 {
        var check = FITCheck()
        for byte in bytes { check.add(byte) }
        return check.value
    }
}
