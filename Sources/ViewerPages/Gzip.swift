import CZlib

/// Compresses the pages once at start: no build step, and no outdated files.
enum Gzip {
    /// Added to the binary logarithm of the window: RFC 1952's frame, without a name and a time.
    private static let gzipFrame: CInt = 16

    static func compress(_ source: [UInt8]) -> [UInt8] {
        var stream = unsafe z_stream()
        let started = unsafe deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzipFrame, 8, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        precondition(started == Z_OK, "zlib says \(started): no memory, or another version")
        defer { unsafe deflateEnd(&stream) }
        let bound = unsafe Int(deflateBound(&stream, uLong(source.count)))
        var input = source
        return unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            unsafe input.withUnsafeMutableBufferPointer { input in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = uInt(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = uInt(bound)
                let ended = unsafe deflate(&stream, Z_FINISH)
                precondition(ended == Z_STREAM_END, "zlib says \(ended) below its own bound")
            }
            count = unsafe bound - Int(stream.avail_out)
        }
    }
}
