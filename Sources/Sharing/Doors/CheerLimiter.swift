public import SensorModel

/// Lets a few cheers a minute through to a runner, from each address and in all.
public struct CheerLimiter: Sendable {
    private var addresses: SlidingWindow<AddressKey>
    private var shares: SlidingWindow<ShareKey>

    /// - Parameters:
    ///   - perAddressMax: A minute, to all shares together.
    ///   - perShareMax: A minute, from all addresses together: a watch buzzes for each.
    public init(perAddressMax: Int = 6, perShareMax: Int = 30) {
        addresses = SlidingWindow(countMax: perAddressMax, windowSeconds: 60, keysMax: 16_384)
        shares = SlidingWindow(countMax: perShareMax, windowSeconds: 60, keysMax: 16_384)
    }

    /// Counts the cheer if it may pass.
    ///
    /// - Returns: How long to wait in seconds; `nil` when it passes.
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

    /// What the runner reads, or `nil` when nothing is left of it.
    public static func clean(_ text: String) -> String? {
        let clean = CleanText.clean(text, charactersMax: Limits.cheerCharactersMax)
        return clean.isEmpty ? nil : clean
    }
}
