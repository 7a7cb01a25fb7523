/// The part of a request's body that has been received.
struct RequestBody {
    /// Beyond this number, chunks must have ``chunkBytesLeast`` bytes on average. A chunk of any
    /// size costs as much as a thousand bytes, so one-byte chunks of a stranger delayed all peers.
    private static let smallChunksMax = 256
    private static let chunkBytesLeast = 8

    private(set) var bytes: [UInt8] = []
    private var parts = 0

    /// - Parameters:
    ///   - part: The next bytes; one chunk of a chunked body.
    ///   - isChunked: Whether the body is chunked.
    ///   - bytesMax: Maximum bytes of the whole body.
    /// - Throws: ``HTTPRefusal/bodyTooLarge``, ``HTTPRefusal/chunksTooSmall``
    mutating func append(
        _ part: some Collection<UInt8>, isChunked: Bool, bytesMax: Int
    ) throws(HTTPRefusal) {
        guard bytes.count + part.count <= bytesMax else { throw .bodyTooLarge }
        bytes.append(contentsOf: part)
        parts += 1
        guard
            !isChunked || parts <= Self.smallChunksMax
                || bytes.count >= parts * Self.chunkBytesLeast
        else { throw .chunksTooSmall }
    }
}
