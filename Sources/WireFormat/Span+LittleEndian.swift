/// Reads of little-endian numbers out of a frame.
///
/// One check of the whole range comes first, in just this form: then the compiler sees that the
/// single bytes are within bounds and merges them into one load.
extension Span where Element == UInt8 {
    @inline(__always)
    func uint16(at position: Int) -> UInt16 {
        precondition(position >= 0 && position <= count &- 2)
        return UInt16(self[position]) | UInt16(self[position &+ 1]) &<< 8
    }

    @inline(__always)
    func uint32(at position: Int) -> UInt32 {
        precondition(position >= 0 && position <= count &- 4)
        var value: UInt32 = 0
        for index in 0..<4 { value |= UInt32(self[position &+ index]) &<< UInt32(8 &* index) }
        return value
    }

    @inline(__always)
    func uint64(at position: Int) -> UInt64 {
        precondition(position >= 0 && position <= count &- 8)
        var value: UInt64 = 0
        for index in 0..<8 { value |= UInt64(self[position &+ index]) &<< UInt64(8 &* index) }
        return value
    }

    @inline(__always)
    func int16(at position: Int) -> Int16 { Int16(bitPattern: uint16(at: position)) }

    @inline(__always)
    func int32(at position: Int) -> Int32 { Int32(bitPattern: uint32(at: position)) }

    @inline(__always)
    func int64(at position: Int) -> Int64 { Int64(bitPattern: uint64(at: position)) }

    @inline(__always)
    func float32(at position: Int) -> Float { Float(bitPattern: uint32(at: position)) }
}

extension Array where Element == UInt8 {
    @inline(__always)
    mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<(value.bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: rest))
            rest = rest >> 8
        }
    }

    mutating func appendLittleEndian(_ value: Float) { appendLittleEndian(value.bitPattern) }

    mutating func appendLittleEndian(_ value: Double) { appendLittleEndian(value.bitPattern) }
}
