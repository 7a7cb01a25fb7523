import CHardware

/// CRC-32C, computed by the processor's instruction if it has one.
///
/// A running value: start from ``start``, feed bytes, read ``final``.
package struct Checksum {
    static let isHardware = pulsecast_has_crc32c() != 0

    private var state: UInt32

    package static let start = Checksum(state: .max)

    /// The inverted state, so that a run of zeros does not look like a valid record.
    package var final: UInt32 { ~state }

    mutating func feed(_ word: UInt64) {
        state =
            Self.isHardware
            ? pulsecast_crc32c_word(state, word) : Self.table.continued(state, word: word)
    }

    package mutating func feed(_ bytes: Span<UInt8>) {
        let state = self.state
        self.state =
            Self.isHardware
            ? unsafe bytes.withUnsafeBytes {
                unsafe pulsecast_crc32c(state, $0.baseAddress, $0.count)
            }
            : Self.table.continued(state, bytes: bytes)
    }

    package static func of(_ bytes: Span<UInt8>) -> UInt32 {
        var checksum = Checksum.start
        checksum.feed(bytes)
        return checksum.final
    }

    static let table = ChecksumTable()
}

/// CRC-32C by table, for processors without the instruction and as the reference of tests.
struct ChecksumTable {
    private let entries: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1
        }
    }

    func continued(_ state: UInt32, bytes: Span<UInt8>) -> UInt32 {
        var state = state
        for index in bytes.indices { state = continued(state, byte: bytes[index]) }
        return state
    }

    func continued(_ state: UInt32, word: UInt64) -> UInt32 {
        (0..<8).reduce(state) { state, index in
            continued(state, byte: UInt8(truncatingIfNeeded: word >> (8 * UInt64(index))))
        }
    }

    private func continued(_ state: UInt32, byte: UInt8) -> UInt32 {
        entries[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state >> 8
    }
}
