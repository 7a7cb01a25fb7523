/// Reads of little-endian numbers out of a frame. Bounds are checked by the span; the compiler
/// merges the bytes into one load.
extension Span where Element == UInt8 {
    @inline(__always)
    func uint16(at position: Int) -> UInt16 {
        UInt16(self[position]) | UInt16(self[position &+ 1]) &<< 8
    }

    @inline(__always)
    func uint32(at position: Int) -> UInt32 {
        UInt32(uint16(at: position)) | UInt32(uint16(at: position &+ 2)) &<< 16
    }

    @inline(__always)
    func uint64(at position: Int) -> UInt64 {
        UInt64(uint32(at: position)) | UInt64(uint32(at: position &+ 4)) &<< 32
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
