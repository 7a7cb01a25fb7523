import Foundation
import Simulator

/// An attacker with the map, the published design and all shares, but no salts and offsets.
public struct Attacker {
    private let town: Town
    private let design: Design
    private var map: StreetMap
    private var generator = SeededGenerator(seed: 0x0A77_AC4E)

    public init(in town: Town, knowing design: Design) {
        self.town = town
        self.design = design
        map = StreetMap(town)
    }

    /// - Parameter readings: The same runs as shown under each zone, more than one if the owner
    ///   moved it.
    /// - Returns: No guesses if fewer than two streets are cut.
    public mutating func attack(_ readings: [[ShownRun]]) -> Findings {
        let evidence = readings.map(Evidence.init)
        guard let newest = evidence.last, newest.crossings.spots.count > 1 else {
            return Findings()
        }
        var circles = evidence.indices.map {
            CircleBeliefs(
                evidence[$0], design,
                zoneRadius: design.zoneRadii.isEmpty ? 0 : design.zoneRadii[$0])
        }
        let center = circles.removeLast()
        // One circle may be mistaken for the other.
        let slack = !design.zoneRadii.isEmpty && design.trimMeters > 0 ? 300.0 : 150
        let reach = design.offsetRing.upperBound + slack
        let candidates = Candidates(
            town.buildings(within: reach, of: center.best), in: town)
        let noise = candidates.buildings.map { _ in generator.uniform() }
        let ring = center.home(candidates)
        var findings = Findings()
        findings.guesses[.ring] = Guess.from(ring, candidates, noise: noise)
        findings.baseline = findings.guesses[.ring]?.confidence ?? 0
        attackShape(newest, candidates, noise, &findings)
        var sum = ring
        if !circles.isEmpty {
            for earlier in circles { sum = sum + earlier.home(candidates) }
            findings.guesses[.moves] = Guess.from(sum, candidates, noise: noise)
        }
        attackWays(newest, candidates, noise, ring: ring, sum: &sum, &findings)
        findings.guesses[.combined] = Guess.from(sum, candidates, noise: noise)
        return findings
    }

    /// Runs the attacks that need no street map: points, lines and areas.
    private mutating func attackShape(
        _ evidence: Evidence, _ candidates: Candidates, _ noise: [Double],
        _ findings: inout Findings
    ) {
        let spots = evidence.cutSpots
        let mean = Spot.mean(spots)
        let shapes: [(Attack, Spot?)] = [
            (.circle, CircleFit.leastSquares(spots)),
            (.consensus, CircleFit.consensus(spots, &generator)),
            (.average, mean), (.hull, CircleFit.hullCentroid(spots)),
            (.hole, Self.hole(around: mean, evidence.shown)),
            (.lines, CircleFit.meeting(of: Array(evidence.cuts.joined()))),
        ]
        for (attack, spot) in shapes {
            guard let spot else { continue }
            var belief = Belief(count: candidates.spots.count)
            for (index, building) in candidates.spots.enumerated() {
                let off = building.meters(to: spot) / 60
                belief.logs[index] = -off * off / 2
            }
            findings.guesses[attack] = Guess.from(belief, candidates, noise: noise)
        }
    }

    /// The middle of the largest circle that no track enters.
    private static func hole(around middle: Spot, _ shown: [Spot]) -> Spot {
        let near = shown.filter { $0.meters(to: middle) < 1500 }
        var best = (spot: middle, square: 0.0)
        for column in -10...10 {
            for row in -10...10 {
                let spot = middle + Spot(east: Double(column) * 50, north: Double(row) * 50)
                var nearest = Double.infinity
                for other in near {
                    let (east, north) = (other.east - spot.east, other.north - spot.north)
                    nearest = min(nearest, east * east + north * north)
                }
                if nearest > best.square { best = (spot, nearest) }
            }
        }
        return best.spot
    }

    /// Runs the attacks along the streets, each combined with the circle's evidence.
    private mutating func attackWays(
        _ evidence: Evidence, _ candidates: Candidates, _ noise: [Double], ring: Belief,
        sum: inout Belief, _ findings: inout Findings
    ) {
        // A finish that is held back ends farther out.
        let held = design.trimMeters > 0 ? 500.0 : 150
        let reach = 1.4 * (design.hiddenRadius + design.offsetRing.upperBound + held)
        let way = HiddenWay(
            evidence: evidence, count: candidates.spots.count,
            distances: evidence.crossings.spots.map {
                map.distances(from: $0, to: candidates, reach: reach)
            },
            beyonds: evidence.beyonds.spots.map {
                map.distances(from: $0, to: candidates, reach: reach + 500)
            })
        let beliefs: [(Attack, Belief?)] = [
            (.streets, way.byStreets()),
            (.meters, way.byMeters { $0.hiddenMeters }),
            (.seconds, way.bySeconds({ $0.hiddenSeconds }, moving: { $0.secondsAreMoving })),
            (.climb, way.byClimb()),
            (.stop, way.bySeconds({ $0.stopSeconds }, moving: { _ in false })),
            (.besideMeters, way.byMeters { $0.besideMeters }),
            (.besideSeconds, way.bySeconds({ $0.besideSeconds }, moving: { _ in true })),
            (.records, way.byRecords()),
        ]
        for (attack, belief) in beliefs {
            guard let belief else { continue }
            findings.guesses[attack] = Guess.from(ring + belief, candidates, noise: noise)
            // Record numbers are left out: an attacker may know that cursors are arrival times.
            if attack != .records { sum = sum + belief }
        }
    }
}

/// The hidden circles of one design: a zone's, a trim's, or both.
private struct CircleBeliefs {
    private var circles: [CenterBelief] = []
    private let ring: ClosedRange<Double>

    init(_ evidence: Evidence, _ design: Design, zoneRadius zone: Double) {
        ring = design.offsetRing
        let edge = design.edgeMeters
        // A trim's circle moves with the first fix of the run.
        for (radius, other, spread) in [
            (zone, design.trimMeters, 9.0), (design.trimMeters, zone, 18),
        ] {
            guard radius > 0 else { continue }
            // With one offset for both, the smaller circle lies inside the larger.
            if design.offset == .salted, radius < other { continue }
            circles.append(
                CenterBelief(
                    crossings: evidence.crossings.spots, shown: evidence.shown,
                    radius: radius + design.widening + edge / 2, spread: spread + edge / 4))
        }
    }

    var best: Spot { Spot.mean(circles.map(\.best)) }

    func home(_ candidates: Candidates) -> Belief {
        circles.reduce(Belief(count: candidates.spots.count)) {
            $0 + $1.home(candidates, ring: ring)
        }
    }
}
