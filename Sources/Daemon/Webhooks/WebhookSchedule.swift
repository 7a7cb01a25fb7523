/// When a delivery that failed is tried again, and when it is given up.
struct WebhookSchedule: Sendable {
    static let retriesMax = 3

    /// - Parameters:
    ///   - failures: So far, at least 1.
    ///   - status: Of the last answer; `nil`: none came.
    ///   - generator: Spreads many daemons' retries.
    /// - Returns: Seconds to wait, half to one and a half times 1, 2, 4; `nil`: give up.
    static func secondsBeforeRetry(
        failures: Int, status: Int?, using generator: inout some RandomNumberGenerator
    ) -> Double? {
        guard failures <= retriesMax else { return nil }
        // What the receiver does not want now, it will not want later.
        if let status, (400..<500).contains(status), status != 408, status != 429 { return nil }
        let seconds = Double(1 << (failures - 1))
        return seconds * Double.random(in: 0.5...1.5, using: &generator)
    }
}
