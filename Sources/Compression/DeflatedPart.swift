import CZlib

/// A part of a stream of raw deflate (RFC 1951), compressed on its own by zlib.
///
/// No part refers to the one before, and each ends at a whole byte. So a long file holds no state
/// of zlib while a reader is slow. With parts of 64 KiB it costs 1 to 4 % of the size.
package struct DeflatedPart: Sendable {
    /// What must follow the last part: an empty block that says so.
    static let end: [UInt8] = [0x03, 0x00]

    /// The bytes before compression.
    package let source: [UInt8]
    package let bytes: [UInt8]

    /// - Parameter source: Any bytes, also none.
    package init(_ source: [UInt8]) {
        self.source = source
        bytes = Self.compress(source)
    }

    private static func compress(_ source: [UInt8]) -> [UInt8] {
        guard !source.isEmpty else { return [] }
        var stream = unsafe z_stream()
        // Negative window bits select deflate without a frame. Level 1: this runs while others wait.
        let started = unsafe deflateInit2_(
            &stream, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size))
        precondition(started == Z_OK, "zlib says \(started): no memory, or another version")
        defer { unsafe deflateEnd(&stream) }
        // The bound is for an end; a flush adds an empty block of at most 6 bytes.
        let bound = unsafe Int(deflateBound(&stream, uLong(source.count))) + 6
        var input = source
        return unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            unsafe input.withUnsafeMutableBufferPointer { input in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = uInt(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = uInt(bound)
                let flushed = unsafe deflate(&stream, Z_SYNC_FLUSH)
                // With room left, all input is out.
                precondition(
                    unsafe flushed == Z_OK && stream.avail_in == 0 && stream.avail_out > 0,
                    "zlib says \(flushed) below its own bound")
            }
            count = unsafe bound - Int(stream.avail_out)
        }
    }
}
