import Bytes
public import SensorModel

/// Limits the cheers to a runner, from each address and in total.
public struct CheerLimiter: Sendable {
    private var addresses: SlidingWindow<AddressKey>
    private var shares: SlidingWindow<ShareKey>

    /// - Parameters:
    ///   - perAddressMax: Cheers a minute from one address, to all shares together.
    ///   - perShareMax: Cheers a minute to one share, from all addresses: a watch buzzes for each.
    public init(perAddressMax: Int = 6, perShareMax: Int = 30) {
        addresses = SlidingWindow(countMax: perAddressMax, windowSeconds: 60, keysMax: 16_384)
        shares = SlidingWindow(countMax: perShareMax, windowSeconds: 60, keysMax: 16_384)
    }

    /// Counts the cheer if it is allowed.
    ///
    /// - Returns: Seconds to wait; `nil` if it is allowed.
    public mutating func admit(
        to share: ShareKey, from address: AddressKey, at now: Timestamp
    ) -> Int? {
        let waits = [
            addresses.secondsUntilFree(address, at: now), shares.secondsUntilFree(share, at: now),
        ]
        if let seconds = waits.compactMap({ $0 }).max() { return seconds }
        addresses.record(address, at: now)
        shares.record(share, at: now)
        return nil
    }

    /// The text for the runner; `nil` if cleaning leaves nothing.
    public static func clean(_ text: String) -> String? {
        let clean = CleanText.clean(text, charactersMax: Limits.cheerCharactersMax)
        return clean.isEmpty ? nil : clean
    }
}
