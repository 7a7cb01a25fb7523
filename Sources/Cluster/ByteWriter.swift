import Bytes

/// Appends little-endian fields to bytes.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ value: some FixedWidthInteger) {
        bytes.appendLittleEndian(value)
    }

    /// Adds a text of at most 65,535 bytes, its length first.
    mutating func add(_ text: String) {
        add(UInt16(text.utf8.count))
        bytes += text.utf8
    }

    /// Adds bytes, their count first.
    mutating func add(_ block: some Collection<UInt8>) {
        add(UInt32(block.count))
        bytes += block
    }
}
