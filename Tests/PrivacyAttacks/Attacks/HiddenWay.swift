import Foundation

/// The evidence of hidden meters, seconds and climbs for each candidate building.
struct HiddenWay {
    let evidence: Evidence
    let count: Int
    /// Distances from each crossing.
    let distances: [StreetDistances]
    let beyonds: [StreetDistances]

    /// Weight limit for runs along the same street, because their errors are correlated.
    private static let sameStreetMax = 4.0

    /// - Parameter likelihood: Of an end's observation at a candidate; `nil`: no observation.
    /// - Returns: `nil` if no end has an observation.
    private func belief(
        _ likelihood: (Evidence.End, StreetDistances) -> ((Int) -> Double)?
    ) -> Belief? {
        var sums: [Int: (belief: Belief, ends: Double)] = [:]
        for end in evidence.ends {
            let way = distances[end.crossing]
            guard !way.meters.isEmpty, let likelihood = likelihood(end, way) else { continue }
            let key = end.crossing * 2 + (end.cut.side == .start ? 0 : 1)
            var sum = sums[key] ?? (Belief(count: count), 0)
            for index in 0..<count { sum.belief.logs[index] += log(likelihood(index)) }
            sum.ends += 1
            sums[key] = sum
        }
        guard !sums.isEmpty else { return nil }
        var total = Belief(count: count)
        for (_, sum) in sums {
            let weight = min(sum.ends, Self.sameStreetMax) / sum.ends
            for index in 0..<count { total.logs[index] += weight * sum.belief.logs[index] }
        }
        return total
    }

    /// Likelihood of the detour: mostly none, sometimes a longer way, rarely anything else.
    private static func likelihood(_ excess: Double, spread: Double, tail: Double) -> Double {
        let off = excess / spread
        return exp(-off * off / 2) + (excess > 0 ? 0.3 * exp(-excess / tail) : 0) + 0.003
    }

    func byMeters(_ told: (Cut) -> Double?) -> Belief? {
        belief { end, way in
            guard let told = told(end.cut) else { return nil }
            return { index in
                Self.likelihood(told - way.meters[index], spread: 14 + 0.02 * told, tail: 70)
            }
        }
    }

    func bySeconds(_ told: (Cut) -> Double?, moving: (Cut) -> Bool) -> Belief? {
        belief { end, way in
            guard let told = told(end.cut) else { return nil }
            let tail = moving(end.cut) ? 25.0 : 45
            let speed = end.cut.speed
            return { index in
                let expected = way.meters[index] / speed
                return Self.likelihood(told - expected, spread: 6 + 0.06 * expected, tail: tail)
            }
        }
    }

    func byClimb() -> Belief? {
        belief { end, way in
            guard let told = end.cut.hiddenClimb else { return nil }
            let climbs = end.cut.side == .start ? way.climbFrom : way.climbTo
            return { index in
                Self.likelihood(told - climbs[index], spread: 3 + 0.12 * told, tail: 10)
            }
        }
    }

    /// Favors buildings from which a run by this street, and on beyond it, makes no detour.
    func byStreets() -> Belief? {
        var pairs: [Int: (end: Evidence.End, ends: Double)] = [:]
        for end in evidence.ends {
            guard let beyond = end.beyond else { continue }
            pairs[end.crossing * 4096 + beyond, default: (end, 0)].ends += 1
        }
        guard !pairs.isEmpty else { return nil }
        var total = Belief(count: count)
        for (_, pair) in pairs {
            guard let beyond = pair.end.beyond else { continue }
            let (near, far) = (distances[pair.end.crossing], beyonds[beyond])
            guard !near.meters.isEmpty, !far.meters.isEmpty else { continue }
            let weight = min(pair.ends, 3)
            let along = pair.end.cut.beyondMeters
            for index in 0..<count {
                let detour = near.meters[index] + along - far.meters[index] - 15
                total.logs[index] += weight * log(exp(-max(detour, 0) / 60) + 0.02)
            }
        }
        return total
    }

    /// Uses the hidden records between the last cursor of one run and the first of the next.
    func byRecords() -> Belief? {
        let ends = evidence.ends
        var total = Belief(count: count)
        var pairs = 0.0
        for (finish, start) in zip(ends, ends.dropFirst())
        where finish.cut.side == .finish && start.cut.side == .start {
            let (back, out) = (distances[finish.crossing], distances[start.crossing])
            let rate = start.cut.recordsPerSecond
            guard let from = finish.cut.record, let to = start.cut.record, rate > 0,
                !back.meters.isEmpty, !out.meters.isEmpty
            else { continue }
            let told = Double(to - from) / rate - 45  // standing at the door, twice
            pairs += 1
            for index in 0..<count {
                let expected =
                    back.meters[index] / finish.cut.speed + out.meters[index] / start.cut.speed
                total.logs[index] += log(
                    Self.likelihood(told - expected, spread: 25 + 0.05 * expected, tail: 60))
            }
        }
        guard pairs > 0 else { return nil }
        let weight = min(1, Self.pairsMax / pairs)
        for index in 0..<count { total.logs[index] *= weight }
        return total
    }

    private static let pairsMax = 16.0
}
