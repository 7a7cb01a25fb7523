import Bytes

/// Reads the values that ``RecordWriter`` writes.
struct RecordReader {
    private var position = 0

    mutating func byte(_ bytes: Span<UInt8>) throws(RecordRefusal) -> UInt8 {
        guard position < bytes.count else { throw .truncated }
        position += 1
        return bytes[position - 1]
    }

    mutating func bool(_ bytes: Span<UInt8>) throws(RecordRefusal) -> Bool {
        switch try byte(bytes) {
        case 0: return false
        case 1: return true
        default: throw .unknownValue
        }
    }

    mutating func uint16(_ bytes: Span<UInt8>) throws(RecordRefusal) -> UInt16 {
        bytes.uint16(at: try take(2, bytes))
    }

    mutating func uint32(_ bytes: Span<UInt8>) throws(RecordRefusal) -> UInt32 {
        bytes.uint32(at: try take(4, bytes))
    }

    mutating func uint64(_ bytes: Span<UInt8>) throws(RecordRefusal) -> UInt64 {
        bytes.uint64(at: try take(8, bytes))
    }

    mutating func int64(_ bytes: Span<UInt8>) throws(RecordRefusal) -> Int64 {
        Int64(bitPattern: try uint64(bytes))
    }

    mutating func double(_ bytes: Span<UInt8>) throws(RecordRefusal) -> Double {
        let word = UInt64(bitPattern: Int64(try count(bytes)))
        guard word != 0 else { return Double(bitPattern: try uint64(bytes)) }
        guard word & 7 != 0 else { throw .unknownValue }
        return CompactDouble(zigzag: word >> 3, scale: Int(word & 7)).value
    }

    /// - Throws: ``RecordRefusal/unknownValue``, also for a longer form than the writer's: equal
    ///   values have equal bytes.
    mutating func count(_ bytes: Span<UInt8>) throws(RecordRefusal) -> Int {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte(bytes)
            guard shift < 63 || next <= 1 else { throw .unknownValue }
            value |= UInt64(next & 0x7F) << shift
            if next & 0x80 == 0 {
                guard next != 0 || shift == 0 else { throw .unknownValue }
                return Int(Int64(bitPattern: value))
            }
            shift += 7
        }
    }

    /// A count of items, each of at least `bytesEach` of the remaining bytes.
    mutating func itemCount(
        _ bytes: Span<UInt8>, bytesEach: Int
    ) throws(RecordRefusal) -> Int {
        let count = try count(bytes)
        guard count >= 0, count <= (bytes.count - position) / bytesEach else { throw .truncated }
        return count
    }

    mutating func text(_ bytes: Span<UInt8>) throws(RecordRefusal) -> String {
        let count = try itemCount(bytes, bytesEach: 1)
        let start = try take(count, bytes)
        let range = bytes.extracting(start..<(start + count))
        guard UTF8Check.isValid(range) else { throw .unknownValue }
        var copy: [UInt8] = []
        for index in range.indices { copy.append(range[index]) }
        return String(decoding: copy, as: UTF8.self)
    }

    mutating func optionalDoubles(
        _ count: Int, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> [Double?] {
        let present = try self.count(bytes)
        guard present >= 0, present >> count == 0 else { throw .unknownValue }
        var values: [Double?] = []
        values.reserveCapacity(count)
        for index in 0..<count {
            values.append(present >> index & 1 == 1 ? try double(bytes) : nil)
        }
        return values
    }

    /// A raw value of the enum.
    mutating func choice<Value: RawRepresentable<UInt8>>(
        _ type: Value.Type, _ bytes: Span<UInt8>
    ) throws(RecordRefusal) -> Value {
        guard let value = Value(rawValue: try byte(bytes)) else { throw .unknownValue }
        return value
    }

    /// Checks that no bytes are left.
    func end(_ bytes: Span<UInt8>) throws(RecordRefusal) {
        guard position == bytes.count else { throw .tooLong(bytes: bytes.count - position) }
    }

    private mutating func take(_ count: Int, _ bytes: Span<UInt8>) throws(RecordRefusal) -> Int {
        guard count <= bytes.count - position else { throw .truncated }
        position += count
        return position - count
    }
}
