/// Why a request is not answered by any endpoint.
enum HTTPRefusal: Error, Hashable, Sendable {
    case malformed
    case hostMissing
    case hostRepeated
    case tooSlow
    case bodyTooLarge
    case targetTooLong
    case expectationUnknown
    case headersTooLarge
    case methodUnknown
    /// TRACE and CONNECT: known, and served nowhere.
    case methodForbidden
    case codingUnknown
    case versionUnknown

    var status: Int {
        switch self {
        case .malformed, .hostMissing, .hostRepeated: 400
        case .methodForbidden: 405
        case .tooSlow: 408
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .expectationUnknown: 417
        // A method nobody has heard of is the asker's fault, not a failure of ours.
        case .methodUnknown: 405
        case .headersTooLarge: 431
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
        case .targetTooLong: "the address is too long"
        case .expectationUnknown: "this expectation cannot be met"
        case .headersTooLarge: "the headers are too large"
        case .methodUnknown: "this method is not known"
        case .methodForbidden: "this method is not allowed here"
        case .codingUnknown: "this transfer coding is not known"
        case .versionUnknown: "this version of HTTP is not spoken here"
        }
    }

    /// Where the next request would begin is not certain any more: always closes.
    var response: HTTPResponse {
        var response = HTTPResponse.failure(status: status, reason: reason)
        response.closes = true
        if self == .methodForbidden {
            response.fields["Allow"] = HTTPRequest.Method.allCases.map(\.rawValue)
                .joined(separator: ", ")
        }
        return response
    }
}
