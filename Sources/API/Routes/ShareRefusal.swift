package import Transport

/// Reason for which a share is not shown, and its response.
package enum ShareRefusal: Error, Hashable, Sendable {
    case unknown
    /// The owner changed what the share shows while the answer was made.
    case changed
    case tooMany(retryAfterSeconds: Int)

    package init(_ refusal: ViewerRefusal) {
        switch refusal {
        case .unknown: self = .unknown
        case .tooMany(let seconds): self = .tooMany(retryAfterSeconds: seconds)
        }
    }

    /// The same response, byte for byte, for unknown, revoked and expired shares on every route.
    package var response: HTTPResponse {
        switch self {
        case .unknown: .failure(status: 404, code: 4004, reason: "unknown share")
        case .changed:
            .failure(
                status: 503, reason: "what this link shows was changed just now, ask again",
                fields: ["Retry-After": "1"])
        case .tooMany(let seconds):
            .failure(
                status: 429, code: 4029, reason: "too many requests, come back later",
                fields: ["Retry-After": String(seconds)])
        }
    }
}
