public import SensorModel

/// Limits failed guesses by address.
///
/// Only failures count: a valid ID works from any address at any time, whatever other clients use
/// the address.
public struct FailureLimiter: Sendable {
    public enum Verdict: Hashable, Sendable {
        /// Answer as usual: not found.
        case refuse
        /// Answer 429 instead.
        case slowDown(retryAfterSeconds: Int)
    }

    private var failures: SlidingWindow<AddressKey>

    /// - Parameters:
    ///   - failuresMax: Failures of an address in a window.
    ///   - windowSeconds: Time until a failure no longer counts.
    ///   - addressesMax: Addresses in each of two generations.
    public init(failuresMax: Int = 10, windowSeconds: Int = 60, addressesMax: Int = 16_384) {
        failures = SlidingWindow(
            countMax: failuresMax, windowSeconds: windowSeconds, keysMax: addressesMax)
    }

    /// Number of addresses in memory.
    public var count: Int { failures.count }

    /// Counts a failed guess. A guess that is answered with 429 is not counted again, so that
    /// `Retry-After` stays true.
    public mutating func failed(_ address: AddressKey, at now: Timestamp) -> Verdict {
        if let seconds = failures.secondsUntilFree(address, at: now) {
            return .slowDown(retryAfterSeconds: seconds)
        }
        failures.record(address, at: now)
        return .refuse
    }

    /// Limits attempts of short codes: since codes are short, a blocked address may not even try
    /// one.
    ///
    /// - Returns: Seconds to wait; `nil` if the address may guess.
    public func retryAfterSeconds(_ address: AddressKey, at now: Timestamp) -> Int? {
        failures.secondsUntilFree(address, at: now)
    }
}
