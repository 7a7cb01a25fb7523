import Runtime
import Transport

/// Responses for reads of the log that failed.
enum ReadAnswer {
    private static let retrySeconds = 2

    static func response(to error: any Error) -> HTTPResponse {
        switch error {
        case let refusal as ShareRefusal: refusal.response
        case ReadRefusal.tooMany:
            ShareRefusal.tooMany(retryAfterSeconds: retrySeconds).response
        case ReadRefusal.tooLong:
            .failure(
                status: 413,
                reason: "the session is too long for one file of this format: format=csv-motion "
                    + "has no limit, nor has `pulsecast export` on the daemon's machine")
        case ReadRefusal.busy, ReadRefusal.cancelled:
            .failure(
                status: 503, reason: "too much is read at once, come back later",
                fields: ["Retry-After": String(retrySeconds)])
        default:
            .failure(
                status: 503, reason: "the log cannot be read now, come back later",
                fields: ["Retry-After": String(retrySeconds)])
        }
    }
}
