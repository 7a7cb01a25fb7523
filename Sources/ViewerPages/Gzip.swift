import Bytes

/// Compresses the pages once at start: no build step, and no outdated files.
enum Gzip {
    /// RFC 1952: one member, one deflate block with its own codes, no name and no time.
    static func compress(_ source: [UInt8]) -> [UInt8] {
        var writer = BitWriter()
        // Magic, deflate, no flags, no time, best compression, unknown system.
        writer.append([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 255])
        DeflateBlock(source: source).write(to: &writer)
        writer.flush()
        writer.append(word: CRC32.value(of: source))
        writer.append(word: UInt32(truncatingIfNeeded: source.count))
        return writer.bytes
    }
}
