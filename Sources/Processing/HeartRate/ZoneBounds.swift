public import SensorModel

/// The heart-rate bounds of a profile's zones.
///
/// Percent of maximum and reserve (Karvonen 1957) are as in the reference applications. Friel's and
/// Coggan's tables are in percent of the heart rate at lactate threshold. Seiler's three zones are
/// in percent of maximum. A scheme falls back to percent of maximum if its number is unknown, or if
/// a custom scheme has not exactly four bounds.
public struct ZoneBounds: Hashable, Sendable {
    /// Lower bounds of zones 2, 3, …; beats/min.
    private let bounds: [Double]
    /// Whether a heart rate equal to a bound is in the zone below (upper bounds inclusive).
    private let belongsBelow: Bool

    public var count: Int { bounds.count + 1 }

    public init(profile: RunnerProfile) {
        let maximum = Double(profile.maxHeartRate)
        let threshold = profile.thresholdHeartRate.map(Double.init)
        belongsBelow =
            if case .custom(let upper) = profile.zones { upper.count == 4 } else { false }
        switch profile.zones {
        case .karvonen:
            let rest = Double(profile.restingHeartRate ?? 0)
            if profile.restingHeartRate != nil, maximum > rest {
                bounds = [0.6, 0.7, 0.8, 0.9].map { rest + $0 * (maximum - rest) }
            } else {
                bounds = Self.percent([60, 70, 80, 90], of: maximum)
            }
        case .friel where threshold != nil:
            // The source has whole percents: 100–102, 103–106, above 106.
            bounds = Self.percent([85, 90, 95, 100, 103, 107], of: threshold ?? 0)
        case .coggan where threshold != nil:
            // The source has these zones: below 68, to 83, to 94, to 105, above.
            bounds = Self.percent([68, 84, 95, 106], of: threshold ?? 0)
        case .seiler:
            bounds = Self.percent([82, 88], of: maximum)
        case .custom(let upper) where upper.count == 4:
            bounds = upper.map(Double.init)
        case .percentOfMaximum, .friel, .coggan, .custom:
            bounds = Self.percent([60, 70, 80, 90], of: maximum)
        }
    }

    private static func percent(_ shares: [Double], of base: Double) -> [Double] {
        guard base > 0 else { return shares.map { _ in .infinity } }
        return shares.map { $0 * base / 100 }
    }

    /// The zone of a heart rate; zone 1 is the lowest.
    public func zone(_ beatsPerMinute: Double) -> Int {
        var zone = 1
        for bound in bounds {
            guard belongsBelow ? beatsPerMinute > bound : beatsPerMinute >= bound else { break }
            zone += 1
        }
        return zone
    }
}
