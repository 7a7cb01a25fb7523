/// Writes bits in the order of RFC 1951: the first bit is the lowest of the first byte.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var pendingCount = 0

    /// - Parameters:
    ///   - bits: The value; its lowest bit goes first.
    ///   - count: 0…32.
    mutating func write(_ bits: UInt32, count: Int) {
        pending |= UInt64(bits) << UInt64(pendingCount)
        pendingCount += count
        while pendingCount >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            pendingCount -= 8
        }
    }

    /// Fills the last byte with zero bits.
    mutating func flush() {
        if pendingCount > 0 { write(0, count: 8 - pendingCount) }
    }

    /// Appends a little-endian word, on a byte boundary.
    mutating func append(word: UInt32) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }

    mutating func append(_ more: [UInt8]) {
        bytes += more
    }
}
