public import SensorModel

/// Limits the readers of another service's interface to that service's own rate.
public struct ReaderLimiter: Sendable {
    private struct Reader: Hashable {
        let share: ShareKey
        let address: AddressKey
    }

    private var requests: SlidingWindow<Reader>

    /// - Parameter perSecondMax: Requests a second for a share from an address; Pulsoid allows 20.
    public init(perSecondMax: Int = 20) {
        requests = SlidingWindow(countMax: perSecondMax, windowSeconds: 1, keysMax: 16_384)
    }

    /// Counts the request if it is allowed.
    ///
    /// - Returns: Seconds to wait; `nil` if it is allowed.
    public mutating func admit(
        to share: ShareKey, from address: AddressKey, at now: Timestamp
    ) -> Int? {
        let reader = Reader(share: share, address: address)
        if let seconds = requests.secondsUntilFree(reader, at: now) { return seconds }
        requests.record(reader, at: now)
        return nil
    }
}
