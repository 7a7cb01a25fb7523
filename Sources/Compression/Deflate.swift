import CZlib

/// One call of zlib's compression.
enum Deflate {
    /// What stands at the end of the bytes.
    enum Ending {
        /// The end of the stream.
        case end
        /// A whole byte, after which more may follow.
        case flush
    }

    /// Longest empty block of a flush, in bytes, which zlib's bound does not count.
    private static let flushBytesMax = 6

    /// - Parameters:
    ///   - source: Any bytes.
    ///   - level: 1…9, as of zlib.
    ///   - windowBits: zlib's, which also select the frame.
    ///   - ending: How they end.
    /// - Returns: The compressed bytes.
    static func bytes(
        of source: [UInt8], level: CInt, windowBits: CInt, ending: Ending
    ) -> [UInt8] {
        var stream = unsafe z_stream()
        let started = unsafe deflateInit2_(
            &stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size))
        precondition(started == Z_OK, "zlib says \(started): no memory, or another version")
        defer { unsafe deflateEnd(&stream) }
        let bound = unsafe Int(deflateBound(&stream, uLong(source.count))) + flushBytesMax
        var input = source
        return unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            unsafe input.withUnsafeMutableBufferPointer { input in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = uInt(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = uInt(bound)
                let status = unsafe deflate(&stream, ending == .end ? Z_FINISH : Z_SYNC_FLUSH)
                // Of a flush all is out if there is room left.
                precondition(
                    unsafe status == (ending == .end ? Z_STREAM_END : Z_OK)
                        && stream.avail_in == 0 && stream.avail_out > 0,
                    "zlib says \(status) below its own bound")
            }
            count = unsafe bound - Int(stream.avail_out)
        }
    }
}
