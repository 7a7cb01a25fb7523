/// Times of retries after a failed delivery, and the limit at which it is given up.
struct WebhookSchedule: Sendable {
    static let retriesMax = 3

    /// - Parameters:
    ///   - failures: Failures so far, at least 1.
    ///   - status: Status of the last answer; `nil`: none came.
    ///   - generator: Source of jitter, which spreads the retries of many daemons.
    /// - Returns: Seconds to wait, half to one and a half times 1, 2, 4; `nil`: give up.
    static func secondsBeforeRetry(
        failures: Int, status: Int?, using generator: inout some RandomNumberGenerator
    ) -> Double? {
        guard failures <= retriesMax else { return nil }
        // A receiver that refuses the request now will refuse it later.
        if let status, (400..<500).contains(status), status != 408, status != 429 { return nil }
        let seconds = Double(1 << (failures - 1))
        return seconds * Double.random(in: 0.5...1.5, using: &generator)
    }
}
