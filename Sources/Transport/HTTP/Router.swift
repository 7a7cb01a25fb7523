/// Maps a path and a method to an endpoint: one table, read from top to bottom.
///
/// A pattern looks like `/v1/shares/:share/latest`. `:name` matches one non-empty segment. A final
/// `*` matches the rest of the path, as the parameter `*`. `@:name` matches a segment that begins
/// with `@`; the parameter includes it. Fixed segments take precedence over `:name` only if they
/// are earlier in the table.
public struct Router: Sendable {
    public enum Match: Sendable {
        case found(Endpoint, parameters: [String: String], bodyBytesMax: Int)
        /// The path exists for other methods, which the header `Allow` lists.
        case wrongMethod(allowed: [HTTPRequest.Method])
        case unknown

        /// Maximum bytes of the body; without a route all are read, so that the answer arrives.
        var bodyBytesMax: Int {
            guard case .found(_, _, let bytesMax) = self else { return .max }
            return bytesMax
        }
    }

    /// Who can reach a route.
    public enum Reach: Sendable {
        case everybody
        /// Programs of this machine, and clients of a trusted proxy over TLS. To others the path is
        /// unknown, whatever the method and the length of the body.
        case owner
    }

    enum Segment: Hashable, Sendable {
        case fixed(String)
        case parameter(String)
        case marked(String)
        case rest
    }

    struct Route: Sendable {
        let method: HTTPRequest.Method
        let segments: [Segment]
        var endpoint: Endpoint
        let bodyBytesMax: Int
        let reach: Reach
    }

    /// Default maximum bytes of a request's body: far more than any setting needs, and so few that
    /// a body is read in a millisecond.
    public static let bodyBytesMax = 32 * 1024

    var routes: [Route] = []
    /// Every route as method and pattern, such as `GET /v1/shares/:share/latest`, in table order.
    public private(set) var patterns: [String] = []
    /// Answers requests without a route; the default is a plain 404.
    public var notFound: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
        .failure(status: 404, reason: "not found")
    }

    public init() {}

    /// - Parameters:
    ///   - method: Method; GET also answers HEAD.
    ///   - pattern: Pattern of the path.
    ///   - endpoint: The handler of the requests.
    ///   - bodyBytesMax: A longer body is refused with 413 before it is received. The listener's
    ///     own limit also applies.
    ///   - reach: Who can reach it.
    public mutating func add(
        _ method: HTTPRequest.Method, _ pattern: String, _ endpoint: Endpoint,
        bodyBytesMax: Int = Router.bodyBytesMax, reach: Reach = .everybody
    ) {
        let segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { text -> Segment in
                if text == "*" { return .rest }
                if text.hasPrefix("@:") { return .marked(String(text.dropFirst(2))) }
                return text.hasPrefix(":")
                    ? .parameter(String(text.dropFirst())) : .fixed(String(text))
            }
        precondition(pattern.hasPrefix("/"), "a pattern starts with a slash")
        routes.append(
            Route(
                method: method, segments: segments, endpoint: endpoint, bodyBytesMax: bodyBytesMax,
                reach: reach))
        patterns.append("\(method.rawValue) \(pattern)")
    }

    /// Adds a route whose endpoint is a closure.
    public mutating func add(
        _ method: HTTPRequest.Method, _ pattern: String, bodyBytesMax: Int = Router.bodyBytesMax,
        reach: Reach = .everybody,
        _ respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) {
        add(method, pattern, .respond(respond), bodyBytesMax: bodyBytesMax, reach: reach)
    }

    /// Adds routes of another table below a prefix, with their limits, behind a check.
    ///
    /// - Parameters:
    ///   - patterns: Methods and patterns of these routes, as in ``patterns`` of the other table,
    ///     which must have them.
    ///   - other: The other table.
    ///   - prefix: Path before their patterns.
    ///   - reach: Who can reach them.
    ///   - check: Answers a request, by the route's handler if it may pass.
    public mutating func mount(
        _ patterns: [String], of other: Router, below prefix: String, reach: Reach,
        behind check:
            @escaping @Sendable (
                HTTPRequest, @Sendable (HTTPRequest) async -> HTTPResponse
            ) async -> HTTPResponse
    ) {
        for pattern in patterns {
            guard let index = other.patterns.firstIndex(of: pattern),
                case .respond(let respond) = other.routes[index].endpoint
            else { preconditionFailure("there is no route \(pattern)") }
            let route = other.routes[index]
            let path = pattern.dropFirst(route.method.rawValue.count + 1)
            add(route.method, prefix + path, bodyBytesMax: route.bodyBytesMax, reach: reach) {
                await check($0, respond)
            }
        }
    }

    /// Wraps the handlers of all routes whose method is not GET.
    ///
    /// - Parameter wrap: Runs a route's handler and returns its answer.
    public mutating func wrapChanges(
        _ wrap: @escaping @Sendable (@Sendable () async -> HTTPResponse) async -> HTTPResponse
    ) {
        for index in routes.indices where routes[index].method != .get {
            guard case .respond(let respond) = routes[index].endpoint else { continue }
            routes[index].endpoint = .respond { request in await wrap { await respond(request) } }
        }
    }
}
