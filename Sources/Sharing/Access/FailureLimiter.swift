public import SensorModel

/// Limits failed guesses by address, and by the networks that a single customer may hold.
///
/// A home has an IPv6 /56, a hosting customer a /48. Such a network may fail more often than one
/// address, but not 256 or 65,536 times as often. IPv4 networks are not counted, because neighbors
/// there are other people.
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

    /// The limits for addresses, for IPv6 /56 networks and for IPv6 /48 networks.
    private var levels: [Level]

    private struct Level {
        /// Length of the network in bits; `nil`: the address itself.
        let networkBits: Int?
        var failures: SlidingWindow<AddressKey>

        func key(_ address: AddressKey) -> AddressKey? {
            guard let networkBits else { return address }
            return address.network(networkBits)
        }
    }

    /// Maximum number of networks in each of two generations, for each length.
    private static let networksMax = 2048
    /// Failure times budgeted for an address. With more, fewer addresses are remembered.
    private static let addressMomentsMax = 30
    /// Failure times budgeted for a network.
    private static let networkMomentsMax = 80

    /// - Parameters:
    ///   - failuresMax: Failures of an address in a window; four times as many for a /56, eight
    ///     times for a /48.
    ///   - windowSeconds: Time until a failure no longer counts.
    ///   - addressesMax: Addresses in each of two generations; fewer from 31 failures on.
    public init(failuresMax: Int = 10, windowSeconds: Int = 60, addressesMax: Int = 16_384) {
        func level(_ networkBits: Int?, places: Int) -> Level {
            let keysMax = networkBits == nil ? addressesMax : min(addressesMax, Self.networksMax)
            let each = networkBits == nil ? Self.addressMomentsMax : Self.networkMomentsMax
            return Level(
                networkBits: networkBits,
                failures: SlidingWindow(
                    countMax: failuresMax * places, windowSeconds: windowSeconds, keysMax: keysMax,
                    momentsMax: keysMax * each))
        }
        levels = [level(nil, places: 1), level(56, places: 4), level(48, places: 8)]
    }

    /// Number of addresses and networks in memory.
    public var count: Int { levels.reduce(0) { $0 + $1.failures.count } }

    /// Counts a failed guess. A guess that is answered with 429 is not counted again, so that
    /// `Retry-After` stays true.
    public mutating func failed(_ address: AddressKey, at now: Timestamp) -> Verdict {
        if let seconds = retryAfterSeconds(address, at: now) {
            return .slowDown(retryAfterSeconds: seconds)
        }
        for index in levels.indices {
            guard let key = levels[index].key(address) else { continue }
            levels[index].failures.record(key, at: now)
        }
        return .refuse
    }

    /// Limits attempts at short codes: since codes are short, a blocked address may not even try
    /// one.
    ///
    /// - Returns: Seconds to wait; `nil` if the address may guess.
    public func retryAfterSeconds(_ address: AddressKey, at now: Timestamp) -> Int? {
        levels.compactMap { level in
            level.key(address).flatMap { level.failures.secondsUntilFree($0, at: now) }
        }.max()
    }
}
