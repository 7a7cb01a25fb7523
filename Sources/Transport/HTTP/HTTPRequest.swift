/// One request, completely read and validated.
public struct HTTPRequest: Sendable {
    public enum Method: String, Hashable, Sendable, CaseIterable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
        case options = "OPTIONS"
    }

    public var method: Method
    /// The path as sent, without the query: still percent-encoded.
    public var path: String
    /// Values of the pattern's `:name` segments, percent-decoded.
    public var parameters: [String: String]
    /// Percent-decoded pairs in order; `+` means a space.
    public var query: QueryItems
    public var fields: HTTPFields
    public var body: [UInt8]
    /// The client's own address, also behind a trusted proxy.
    public var peer: PeerAddress
    /// Whether the client used TLS, ours or that of a trusted proxy.
    public var isSecure: Bool

    public init(
        method: Method, path: String, parameters: [String: String] = [:],
        query: QueryItems = QueryItems(), fields: HTTPFields = HTTPFields(), body: [UInt8] = [],
        peer: PeerAddress, isSecure: Bool = false
    ) {
        self.method = method
        self.path = path
        self.parameters = parameters
        self.query = query
        self.fields = fields
        self.body = body
        self.peer = peer
        self.isSecure = isSecure
    }

    /// The token of `Authorization: Bearer …`.
    public var bearerToken: String? {
        guard let value = fields["authorization"], value.utf8.count > 7,
            HTTPFields.same(String(value.prefix(7)), "Bearer ")
        else { return nil }
        return String(value.dropFirst(7))
    }
}
