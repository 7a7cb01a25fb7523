import CZlib

/// Bytes in gzip's frame (RFC 1952), by zlib.
package enum Gzip {
    /// Added to zlib's window bits to select RFC 1952's frame, without a name and a time.
    private static let gzipFrame: CInt = 16
    /// Bytes that are expanded at a time.
    private static let stepBytes = 256 << 10

    package enum Failure: Error, Hashable, Sendable {
        /// The bytes are not gzip's, or damaged, or end too early.
        case malformed
        /// The caller has no room for more expanded bytes.
        case noRoom
    }

    /// How much work compression is worth.
    package enum Effort: Sendable {
        /// For bytes that are sent often: zlib's best level.
        case best
        /// For an answer to one reader: zlib's default, a few percent longer in a fraction of the
        /// time.
        case usual
    }

    /// Pages are compressed once at each start, so there is no build step and no outdated file.
    package static func compress(_ source: [UInt8], effort: Effort = .best) -> [UInt8] {
        Deflate.bytes(
            of: source, level: effort == .best ? Z_BEST_COMPRESSION : Z_DEFAULT_COMPRESSION,
            windowBits: MAX_WBITS + gzipFrame, ending: .end)
    }

    package static func recognizes(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    /// Expands untrusted bytes: some of them may become a thousand times as many.
    ///
    /// - Parameters:
    ///   - source: One frame of gzip; bytes after it are ignored.
    ///   - hasRoom: Receives the total of expanded bytes before each step; `false` stops it.
    /// - Returns: The expanded bytes.
    /// - Throws: ``Failure``
    package static func expand(
        _ source: [UInt8], hasRoom: (Int) -> Bool
    ) throws(Failure) -> [UInt8] {
        var stream = unsafe z_stream()
        let started = unsafe inflateInit2_(
            &stream, MAX_WBITS + gzipFrame, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        precondition(started == Z_OK, "zlib says \(started): no memory, or another version")
        defer { unsafe inflateEnd(&stream) }
        var expanded: [UInt8] = []
        var input = source
        var status = Z_OK
        var isRefused = false
        unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe stream.next_in = input.baseAddress
            unsafe stream.avail_in = uInt(input.count)
            while status == Z_OK, !isRefused {
                isRefused = !hasRoom(expanded.count + stepBytes)
                guard !isRefused else { return }
                let part = unsafe [UInt8](unsafeUninitializedCapacity: stepBytes) { part, count in
                    unsafe stream.next_out = part.baseAddress
                    unsafe stream.avail_out = uInt(stepBytes)
                    status = unsafe inflate(&stream, Z_NO_FLUSH)
                    count = unsafe stepBytes - Int(stream.avail_out)
                }
                expanded += part
            }
        }
        guard !isRefused else { throw .noRoom }
        // If the input ends too early, zlib asks for more.
        guard status == Z_STREAM_END else { throw .malformed }
        return expanded
    }
}
