/// An endpoint's answer.
///
/// The server adds `Content-Length` or chunks, `Date`, `Connection` and the listener's security
/// headers, and omits the body for HEAD.
public struct HTTPResponse: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// A body written while it is produced, for downloads too long to hold in memory. The
        /// closure may run long; its writes fail once the reader is gone. A thrown error cuts the
        /// connection.
        case stream(@Sendable (HTTPBodyWriter) async throws -> Void)
    }

    /// 200…599.
    public var status: Int
    public var fields: HTTPFields
    public var body: Body
    /// Whether to close the connection after this answer.
    public var closes = false
    /// The proof that the request gave: a device whose token was accepted. It does not count if
    /// the answer is a refusal. Requests that name a share do not set it.
    public var proof: ConnectionProof?

    public init(status: Int, fields: HTTPFields = HTTPFields(), body: Body = .bytes([])) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    public static func text(
        _ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8"
    ) -> HTTPResponse {
        HTTPResponse(status: status, fields: ["Content-Type": type], body: .bytes(Array(text.utf8)))
    }

    public static func json(_ bytes: [UInt8], status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: ["Content-Type": "application/json"], body: .bytes(bytes))
    }

    /// The API's error object. `reason` is plain text without quotes or control characters.
    public static func failure(
        status: Int, code: Int? = nil, reason: String, fields: HTTPFields = HTTPFields()
    ) -> HTTPResponse {
        var response = json(
            Array("{\"code\":\(code ?? status),\"reason\":\"\(reason)\"}\n".utf8), status: status)
        for field in fields.fields { response.fields.append(field.name, field.value) }
        return response
    }
}

/// Writer of a streamed body; each write waits until the socket has space again.
public struct HTTPBodyWriter: Sendable {
    let send: @Sendable ([UInt8]) async throws(HTTPBodyError) -> Void

    /// - Throws: ``HTTPBodyError/readerGone`` if the reader has disconnected.
    public func write(_ bytes: [UInt8]) async throws(HTTPBodyError) {
        guard !bytes.isEmpty else { return }
        try await send(bytes)
    }
}

public enum HTTPBodyError: Error, Hashable, Sendable {
    case readerGone
}
