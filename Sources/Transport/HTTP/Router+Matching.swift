/// Search for the route of a request.
extension Router {
    /// - Parameters:
    ///   - method: HEAD matches routes of GET.
    ///   - path: Percent-encoded, without the query. Segments are decoded after the split, so an
    ///     encoded slash stays inside its segment.
    ///   - isOwners: Whether the request may reach routes of ``Reach/owner``.
    /// - Returns: The first route that matches.
    public func match(
        _ method: HTTPRequest.Method, _ path: String, isOwners: @autoclosure () -> Bool = false
    ) -> Match {
        guard path.hasPrefix("/") else { return .unknown }
        var parts: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let decoded = PercentEncoding.decode(part.utf8, plusIsSpace: false) else {
                return .unknown
            }
            parts.append(decoded)
        }
        let wanted: HTTPRequest.Method = method == .head ? .get : method
        var allowed: [HTTPRequest.Method] = []
        for route in routes {
            guard let parameters = Self.parameters(of: parts, in: route.segments),
                route.reach == .everybody || isOwners()
            else { continue }
            if route.method == wanted {
                return .found(
                    route.endpoint, parameters: parameters, bodyBytesMax: route.bodyBytesMax)
            }
            if !allowed.contains(route.method) { allowed.append(route.method) }
        }
        if allowed.contains(.get) { allowed.append(.head) }
        return allowed.isEmpty ? .unknown : .wrongMethod(allowed: allowed)
    }

    private static func parameters(of parts: [String], in segments: [Segment]) -> [String: String]?
    {
        var parameters: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            if case .rest = segment {
                guard index <= parts.count else { return nil }
                parameters["*"] = parts[index...].joined(separator: "/")
                return parameters
            }
            guard index < parts.count else { return nil }
            switch segment {
            case .fixed(let text):
                guard parts[index] == text else { return nil }
            case .parameter(let name):
                guard !parts[index].isEmpty else { return nil }
                parameters[name] = parts[index]
            case .marked(let name):
                guard parts[index].hasPrefix("@") else { return nil }
                parameters[name] = parts[index]
            case .rest: break
            }
        }
        return parts.count == segments.count ? parameters : nil
    }
}
