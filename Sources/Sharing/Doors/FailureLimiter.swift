public import SensorModel

/// Counts failed guesses an address, and says when it has had enough.
///
/// Only failures are looked at: a valid ID works from any address at any time, whoever else sits
/// behind it.
public struct FailureLimiter: Sendable {
    public enum Verdict: Hashable, Sendable {
        /// Answer as always: there is no such thing.
        case refuse
        /// Answer 429 in its place.
        case slowDown(retryAfterSeconds: Int)
    }

    private var failures: SlidingWindow<AddressKey>

    /// - Parameters:
    ///   - failuresMax: An address and window.
    ///   - windowSeconds: From a failure until it no longer counts.
    ///   - addressesMax: Remembered in each of two generations.
    public init(failuresMax: Int = 10, windowSeconds: Int = 60, addressesMax: Int = 16_384) {
        failures = SlidingWindow(
            countMax: failuresMax, windowSeconds: windowSeconds, keysMax: addressesMax)
    }

    /// Addresses remembered now.
    public var count: Int { failures.count }

    /// Call when a guess has failed. One that is told to slow down is not counted again, so that
    /// `Retry-After` is the truth.
    public mutating func failed(_ address: AddressKey, at now: Timestamp) -> Verdict {
        if let seconds = failures.secondsUntilFree(address, at: now) {
            return .slowDown(retryAfterSeconds: seconds)
        }
        failures.record(address, at: now)
        return .refuse
    }

    /// For short codes, which a blocked address may not even try: they are short.
    ///
    /// - Returns: How long the address has to wait; `nil` when it may guess.
    public func retryAfterSeconds(_ address: AddressKey, at now: Timestamp) -> Int? {
        failures.secondsUntilFree(address, at: now)
    }
}
