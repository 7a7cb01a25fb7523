public import SensorModel

/// Lets each reader of another service's interface ask as often as that service would.
public struct ReaderLimiter: Sendable {
    private struct Reader: Hashable {
        let share: ShareKey
        let address: AddressKey
    }

    private var requests: SlidingWindow<Reader>

    /// - Parameter perSecondMax: Requests for a share from an address; Pulsoid has 20.
    public init(perSecondMax: Int = 20) {
        requests = SlidingWindow(countMax: perSecondMax, windowSeconds: 1, keysMax: 16_384)
    }

    /// Counts the request if it may pass.
    ///
    /// - Returns: How long to wait in seconds; `nil` when it passes.
    public mutating func admit(
        to share: ShareKey, from address: AddressKey, at now: Timestamp
    ) -> Int? {
        let reader = Reader(share: share, address: address)
        if let seconds = requests.secondsUntilFree(reader, at: now) { return seconds }
        requests.record(reader, at: now)
        return nil
    }
}
