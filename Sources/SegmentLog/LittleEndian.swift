/// Access to little-endian numbers at any position, with bounds checks.
enum LittleEndian {
    static func load<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type, from bytes: Span<UInt8>, at position: Int
    ) -> Number {
        precondition(position >= 0 && position + MemoryLayout<Number>.size <= bytes.count)
        return unsafe bytes.withUnsafeBytes {
            Number(littleEndian: unsafe $0.loadUnaligned(fromByteOffset: position, as: type))
        }
    }

    static func store<Number: FixedWidthInteger & BitwiseCopyable>(
        _ number: Number, in bytes: inout MutableSpan<UInt8>, at position: Int
    ) {
        precondition(position >= 0 && position + MemoryLayout<Number>.size <= bytes.count)
        unsafe bytes.withUnsafeMutableBytes {
            unsafe $0.storeBytes(of: number.littleEndian, toByteOffset: position, as: Number.self)
        }
    }

    static func copy(_ source: Span<UInt8>, into bytes: inout MutableSpan<UInt8>, at position: Int)
    {
        precondition(position >= 0 && position + source.count <= bytes.count)
        unsafe bytes.withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { source in
                guard let base = source.baseAddress, let start = target.baseAddress else { return }
                unsafe (start + position).copyMemory(from: base, byteCount: source.count)
            }
        }
    }
}
