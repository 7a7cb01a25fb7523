import Foundation

/// The likely centers of a hidden circle of known radius, given the shown tracks, and from them the
/// likely homes, given the published ring of offsets.
///
/// This is the best attack by the circle alone, and therefore the baseline: it uses no value beside
/// the positions.
struct CenterBelief: Sendable {
    private var centers: [(spot: Spot, log: Double)] = []
    /// The likeliest center.
    private(set) var best = Spot(east: 0, north: 0)

    /// - Parameters:
    ///   - crossings: Places at which tracks are cut, one for each street.
    ///   - shown: Some of the shown positions; none may lie inside the circle.
    ///   - radius: Radius of the circle, meters.
    ///   - spread: Distance of a cut from the circle, meters.
    init(crossings: [Spot], shown: [Spot], radius: Double, spread: Double) {
        let middle = Spot.mean(crossings)
        let near = shown.filter { $0.meters(to: middle) < 2.5 * radius }
        let reach = radius + 300
        let coarse = Self.grid(around: middle, reach: reach, step: 40).map {
            ($0, Self.fit($0, crossings, radius, spread + 28))
        }
        let top = coarse.map(\.1).max() ?? 0
        let kept = coarse.filter { $0.1 > top - 10 }.map { spot, log in
            (spot, log + Self.emptiness(spot, near, radius, slack: spread + 40))
        }
        let keptTop = kept.map(\.1).max() ?? 0
        let step = max(10, spread / 2)
        for (spot, log) in kept where log > keptTop - 10 {
            for fine in Self.grid(around: spot, reach: 20 - step / 2, step: step) {
                let log =
                    Self.fit(fine, crossings, radius, spread)
                    + Self.emptiness(fine, near, radius, slack: spread + 10)
                centers.append((fine, log))
            }
        }
        let likeliest = centers.max { $0.log < $1.log }
        best = likeliest?.spot ?? middle
        let bestLog = likeliest?.log ?? 0
        centers = centers.filter { $0.log > bestLog - 8 }.map { ($0.spot, exp($0.log - bestLog)) }
    }

    private static func grid(around spot: Spot, reach: Double, step: Double) -> [Spot] {
        let count = Int(reach / step)
        return (-count...count).flatMap { column in
            (-count...count).map { row in
                spot + Spot(east: Double(column) * step, north: Double(row) * step)
            }
        }
    }

    private static func fit(
        _ center: Spot, _ crossings: [Spot], _ radius: Double, _ spread: Double
    ) -> Double {
        crossings.reduce(0) { sum, crossing in
            let off = (crossing.meters(to: center) - radius) / spread
            return sum - min(off * off / 2, 8)
        }
    }

    private static func emptiness(
        _ center: Spot, _ shown: [Spot], _ radius: Double, slack: Double
    ) -> Double {
        let inner = (radius - slack) * (radius - slack)
        var inside = 0
        for spot in shown {
            let (east, north) = (spot.east - center.east, spot.north - center.north)
            if east * east + north * north < inner { inside += 1 }
        }
        return -4 * Double(min(inside, 10))
    }

    func home(_ candidates: Candidates, ring: ClosedRange<Double>) -> Belief {
        var belief = Belief(count: candidates.spots.count)
        let inner = ring.lowerBound * ring.lowerBound
        let outer = ring.upperBound * ring.upperBound
        for (index, spot) in candidates.spots.enumerated() {
            var sum = 0.0
            for center in centers {
                let (east, north) = (spot.east - center.spot.east, spot.north - center.spot.north)
                let square = east * east + north * north
                if square >= inner, square <= outer { sum += center.log }
            }
            belief.logs[index] = log(sum + 1e-12)
        }
        return belief.floored(-7)
    }
}
