/// Reads little-endian numbers from bytes.
///
/// Each function first checks the whole range, in exactly this form. The compiler then knows that
/// all bytes are within bounds and merges them into one load.
extension Span where Element == UInt8 {
    @inlinable @inline(__always)
    package func uint16(at position: Int) -> UInt16 {
        precondition(position >= 0 && position <= count &- 2)
        return UInt16(self[position]) | UInt16(self[position &+ 1]) &<< 8
    }

    @inlinable @inline(__always)
    package func uint32(at position: Int) -> UInt32 {
        precondition(position >= 0 && position <= count &- 4)
        var value: UInt32 = 0
        for index in 0..<4 { value |= UInt32(self[position &+ index]) &<< UInt32(8 &* index) }
        return value
    }

    @inlinable @inline(__always)
    package func uint64(at position: Int) -> UInt64 {
        precondition(position >= 0 && position <= count &- 8)
        var value: UInt64 = 0
        for index in 0..<8 { value |= UInt64(self[position &+ index]) &<< UInt64(8 &* index) }
        return value
    }

    @inlinable @inline(__always)
    package func int16(at position: Int) -> Int16 { Int16(bitPattern: uint16(at: position)) }

    @inlinable @inline(__always)
    package func int32(at position: Int) -> Int32 { Int32(bitPattern: uint32(at: position)) }

    @inlinable @inline(__always)
    package func int64(at position: Int) -> Int64 { Int64(bitPattern: uint64(at: position)) }

    @inlinable @inline(__always)
    package func float32(at position: Int) -> Float { Float(bitPattern: uint32(at: position)) }
}

extension Array where Element == UInt8 {
    @inlinable @inline(__always)
    package mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<(value.bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: rest))
            rest = rest >> 8
        }
    }

    @inlinable
    package mutating func appendLittleEndian(_ value: Float) {
        appendLittleEndian(value.bitPattern)
    }

    @inlinable
    package mutating func appendLittleEndian(_ value: Double) {
        appendLittleEndian(value.bitPattern)
    }
}
