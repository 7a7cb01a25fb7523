/// A request's body as far as it has come.
struct RequestBody {
    /// From so many chunks on they must have ``chunkBytesLeast`` bytes on average. Each costs as much
    /// as a thousand bytes do, whatever it has: with chunks of one byte a stranger held everybody.
    private static let smallChunksMax = 256
    private static let chunkBytesLeast = 8

    private(set) var bytes: [UInt8] = []
    private var parts = 0

    /// - Parameters:
    ///   - part: What has come.
    ///   - isChunked: Whether the sender cuts the body into chunks, each a part.
    ///   - bytesMax: Bytes of the whole body.
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
