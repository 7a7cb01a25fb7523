/// Compresses the pages once at start, so that no build step has to and no file can be out of date.
enum Gzip {
    /// RFC 1952: one member, one deflate block with its own codes, no name and no time in it.
    static func compress(_ source: [UInt8]) -> [UInt8] {
        var writer = BitWriter()
        // Magic, deflate, no flags, no time, best compression, unknown system.
        writer.append([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 255])
        DeflateBlock(source: source).write(to: &writer)
        writer.flush()
        writer.append(word: checksum(source))
        writer.append(word: UInt32(truncatingIfNeeded: source.count))
        return writer.bytes
    }

    /// CRC-32 of IEEE 802.3, bits reflected.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { remainder, byte in
            remainder >> 8 ^ table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)]
        }
    }

    private static let table: [UInt32] = (0..<256).map { (index: UInt32) in
        (0..<8).reduce(index) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
    }
}
