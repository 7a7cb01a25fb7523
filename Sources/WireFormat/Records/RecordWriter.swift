import Bytes

/// Appends the values of a record, whose optional values follow a bitmap or a bool.
struct RecordWriter {
    var bytes: [UInt8]

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func bool(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func integer(_ value: some FixedWidthInteger) { bytes.appendLittleEndian(value) }

    /// Appends a double as a count of 1, 0.1, … if that restores the same bits, else as 64 bits.
    /// Every value is lossless, including NaN and -0.
    ///
    /// ```
    /// count: zigzag(n) << 3 | scale     scale 1…7: n / ``CompactDouble/scales``[scale]
    /// count: 0, f64                     any other value
    /// ```
    mutating func double(_ value: Double) {
        guard let compact = CompactDouble(value) else {
            bytes.append(0)
            bytes.appendLittleEndian(value)
            return
        }
        count(Int(bitPattern: UInt(compact.zigzag << 3 | UInt64(compact.scale))))
    }

    /// Appends seven bits a byte, the lowest first; small numbers need one byte.
    mutating func count(_ value: Int) {
        var rest = UInt64(bitPattern: Int64(value))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func text(_ value: String) {
        count(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    /// Appends a bitmap of the values that are present, lowest bit first, then those values.
    mutating func optionalDoubles(_ values: [Double?]) {
        precondition(values.count <= 32)
        var present: UInt64 = 0
        for (index, value) in values.enumerated() where value != nil { present |= 1 << index }
        count(Int(present))
        for case let value? in values { double(value) }
    }

    mutating func optional<Value>(
        _ value: Value?, _ write: (inout RecordWriter, Value) -> Void
    ) {
        bool(value != nil)
        if let value { write(&self, value) }
    }
}
