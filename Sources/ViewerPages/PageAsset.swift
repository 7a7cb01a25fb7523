import Compression

/// One file, ready to send to a browser.
public struct PageAsset: Sendable {
    /// Name with the hash of its content, as `live.0123456789ab.js`; pages have no hash.
    public let name: String
    public let contentType: String
    public let bytes: [UInt8]
    /// Compressed bytes; `nil` if compression does not make them smaller.
    public let gzipBytes: [UInt8]?
    /// Headers besides `Content-Type`, `Content-Length`, `Content-Encoding` and `Vary`.
    public let headers: [(name: String, value: String)]

    init(name: String, contentType: String, bytes: [UInt8], headers: [(String, String)]) {
        self.name = name
        self.contentType = contentType
        self.bytes = bytes
        let compressed = Gzip.compress(bytes)
        gzipBytes = compressed.count < bytes.count ? compressed : nil
        self.headers =
            [
                (name: "X-Content-Type-Options", value: "nosniff"),
                (name: "Referrer-Policy", value: "no-referrer"),
            ] + headers.map { (name: $0.0, value: $0.1) }
    }

    /// - Parameter acceptsGzip: Whether the request's `Accept-Encoding` names gzip.
    /// - Returns: The body, and the value of `Content-Encoding`, if any.
    public func body(acceptsGzip: Bool) -> (bytes: [UInt8], encoding: String?) {
        if acceptsGzip, let gzipBytes { return (gzipBytes, "gzip") }
        return (bytes, nil)
    }
}
