/// The reasons why a request reaches no endpoint.
enum HTTPRefusal: Error, Hashable, Sendable {
    case malformed
    case hostMissing
    case hostRepeated
    case tooSlow
    case bodyTooLarge
    case chunksTooSmall
    case targetTooLong
    case expectationUnknown
    case headersTooLarge
    case methodUnknown
    /// TRACE and CONNECT: known methods that no endpoint serves.
    case methodForbidden
    case codingUnknown
    /// The limit of the address, and the limit of the whole server.
    case tooManyOfAddress
    case tooManyOfAll
    case versionUnknown

    var status: Int {
        switch self {
        case .malformed, .hostMissing, .hostRepeated, .chunksTooSmall: 400
        case .methodForbidden: 405
        case .tooSlow: 408
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .expectationUnknown: 417
        // An unknown method is the client's error, not a failure of the server.
        case .methodUnknown: 405
        case .tooManyOfAddress: 429
        case .headersTooLarge: 431
        case .tooManyOfAll: 503
        case .codingUnknown: 501
        case .versionUnknown: 505
        }
    }

    var reason: String {
        switch self {
        case .malformed: "the request is malformed"
        case .hostMissing: "the Host header is missing"
        case .hostRepeated: "more than one Host header"
        case .tooSlow: "the request came too slowly"
        case .bodyTooLarge: "the body is too large"
        case .chunksTooSmall: "the body's chunks are too small: send more bytes in each"
        case .targetTooLong: "the address is too long"
        case .expectationUnknown: "this expectation cannot be met"
        case .tooManyOfAddress: "too many connections from this address"
        case .tooManyOfAll: "too many connections"
        case .headersTooLarge: "the headers are too large"
        case .methodUnknown: "this method is not known"
        case .methodForbidden: "this method is not allowed here"
        case .codingUnknown: "this transfer coding is not known"
        case .versionUnknown: "this version of HTTP is not spoken here"
        }
    }

    init(_ refusal: ConnectionTable.Refusal) {
        self =
            switch refusal {
            case .address: .tooManyOfAddress
            case .connections: .tooManyOfAll
            }
    }

    /// The answer; it closes the connection, because the start of the next request is uncertain.
    var response: HTTPResponse {
        var response = HTTPResponse.failure(status: status, reason: reason)
        response.closes = true
        if self == .tooManyOfAddress || self == .tooManyOfAll {
            response.fields["Retry-After"] = "10"
        }
        if self == .methodForbidden {
            response.fields["Allow"] = HTTPRequest.Method.allCases.map(\.rawValue)
                .joined(separator: ", ")
        }
        return response
    }
}
