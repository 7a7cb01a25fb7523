/// One file as it goes to a browser.
public struct PageAsset: Sendable {
    /// With the hash of its content in it, as `live.0123456789ab.js`; a page has none.
    public let name: String
    public let contentType: String
    public let bytes: [UInt8]
    /// The same, compressed; `nil` where that does not make it smaller.
    public let gzipBytes: [UInt8]?
    /// What goes beside `Content-Type`, `Content-Length`, `Content-Encoding` and `Vary`.
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
    /// - Returns: What to send, and the value of `Content-Encoding` if there is to be one.
    public func body(acceptsGzip: Bool) -> (bytes: [UInt8], encoding: String?) {
        if acceptsGzip, let gzipBytes { return (gzipBytes, "gzip") }
        return (bytes, nil)
    }
}
