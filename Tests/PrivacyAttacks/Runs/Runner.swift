import Foundation
import Simulator

/// One person with a home, a pace and habits, whose runs begin and end at the door.
public struct Runner {
    public let home: Town.Building
    /// Distance from home beyond which recording is five times as sparse; larger than the product's
    /// hidden area.
    public static let denseMeters = 1700.0

    /// How people choose their streets.
    public enum Habit: String, CaseIterable, Sendable {
        /// The shortest way to the turning point, weighted by the person's taste in streets.
        case direct
        /// Strong tastes; every second way passes a place near home, such as a park.
        case roundabout
    }

    private let town: Town
    private let habit: Habit
    /// Seconds between two records.
    private let seconds: Double
    private var generator: SeededGenerator
    private let metersPerSecond: Double
    /// Two tastes in streets; a run out by one and home by the other is a loop.
    private var tastes: [[Double]] = []
    /// Ratio of a way's weighted length to its length in meters.
    private var tasteFactor = 1.0
    private var searches: [StreetSearch] = []
    private var crossing: StreetSearch
    /// Places near home that ways pass, with the ways on from there.
    private var parks: [(corner: Int, ways: StreetSearch)] = []
    private var favorites: [Route] = []
    private var record = 1000
    private var day = 1_780_000_000.0

    /// - Parameters:
    ///   - town: The town in which the runner lives.
    ///   - habit: How streets are chosen.
    ///   - seed: Seed of home, pace and runs.
    ///   - secondsApart: Seconds between two records; larger values are less work and blur cuts.
    public init(in town: Town, habit: Habit, seed: UInt64, secondsApart: Int = 1) {
        self.town = town
        self.habit = habit
        seconds = Double(secondsApart)
        generator = SeededGenerator(seed: seed)
        metersPerSecond = 2.4 + 1.6 * generator.uniform()
        let near = town.buildings(
            within: 60,
            of: Spot(
                east: 4000 * (generator.uniform() - 0.5),
                north: 4000 * (generator.uniform() - 0.5)))
        let any = Int(generator.next() % UInt64(town.buildings.count))
        home =
            town.buildings[
                near.isEmpty ? any : near[Int(generator.next() % UInt64(near.count))]]
        crossing = StreetSearch(town)
        let strength = habit == .direct ? 0.35 : 1
        for _ in 0..<2 {
            let taste = town.streets.map { _ in 1 + strength * generator.uniform() }
            var search = StreetSearch(town)
            search.run(
                in: town, from: doorstep(weighted: taste), reach: 6500 * (1 + strength),
                weights: taste)
            tastes.append(taste)
            searches.append(search)
        }
        tasteFactor = 1 + strength * 0.43
        if habit == .roundabout { findParks() }
        favorites = (0..<6).map { _ in newRoute() }
    }

    /// The corners of the home's street and how far they are from the door.
    private func doorstep(weighted taste: [Double]) -> [(corner: Int, meters: Double)] {
        let street = town.streets[home.street]
        let factor = taste[home.street]
        return [
            (street.from, home.along * factor), (street.to, (street.length - home.along) * factor),
        ]
    }

    public mutating func runs(_ count: Int) -> [RecordedRun] {
        (0..<count).map { _ in
            day += 86_400 * Double(1 + generator.next() % 3) + 7200 * generator.gaussian()
            let route =
                generator.happens(0.55)
                ? favorites[Int(generator.next() % 6)] : newRoute()
            return record(route)
        }
    }

    private mutating func findParks() {
        for _ in 0..<3 {
            let park = corner(about: 300 + 600 * generator.uniform(), by: 0)
            var search = StreetSearch(town)
            search.run(in: town, from: [(park, 0)], reach: 13_000, weights: tastes[0])
            parks.append((park, search))
        }
    }

    /// The way to a corner, sometimes by a park.
    private mutating func way(to corner: Int, by taste: Int) -> [Int] {
        guard !parks.isEmpty, generator.happens(0.5) else {
            return searches[taste].way(to: corner)
        }
        let park = parks[Int(generator.next() % UInt64(parks.count))]
        return searches[taste].way(to: park.corner) + park.ways.way(to: corner).dropFirst()
    }

    // Routes

    private mutating func newRoute() -> Route {
        let length = 3000 + 9000 * generator.uniform()
        let out = generator.happens(0.7) ? 0 : 1
        let kind = generator.uniform()
        if kind < 0.3 {
            let far = corner(about: length / 3, by: out)
            let next = corner(about: length / 3, by: 1 - out, near: far, within: length / 2)
            crossing.run(
                in: town, from: [(far, 0)], reach: 2 * length, target: next,
                weights: tastes[out])
            let between = crossing.way(to: next)
            if between.first == far {
                return Route(
                    town, home: home,
                    corners: way(to: far, by: out) + between.dropFirst()
                        + way(to: next, by: 1 - out).reversed().dropFirst())
            }
        }
        let turn = corner(about: length / 2, by: out)
        let outward = way(to: turn, by: out)
        let back = kind < 0.6 ? way(to: turn, by: 1 - out) : outward
        return Route(town, home: home, corners: outward + back.reversed().dropFirst())
    }

    private mutating func corner(
        about meters: Double, by taste: Int, near: Int? = nil, within: Double = .infinity
    ) -> Int {
        var best = 0
        var bestError = Double.infinity
        for _ in 0..<400 {
            let corner = Int(generator.next() % UInt64(town.corners.count))
            let error = abs(searches[taste].meters[corner] / tasteFactor - meters)
            if let near, town.corners[near].meters(to: town.corners[corner]) > within { continue }
            if error < bestError { (best, bestError) = (corner, error) }
            if error < 0.08 * meters { break }
        }
        return searches[taste].meters[best].isFinite ? best : town.streets[home.street].from
    }

    // Recording

    /// The runner's and the watch's state during one recording.
    private struct Progress {
        var sample: RecordedRun.Sample
        var along = 0.0
        var leg = 0
        var noise = Spot(east: 0, north: 0)
        var altitude: Double
        let noiseMeters: Double
        let distanceScale: Double
        let gainScale: Double
        let fixAfterMeters: Double
    }

    private mutating func record(_ route: Route) -> RecordedRun {
        var progress = Progress(
            sample: RecordedRun.Sample(
                time: day.rounded(), spot: nil, distanceMeters: 0, elapsedSeconds: 0,
                movingSeconds: 0, elevationGainMeters: 0, speed: 0, record: record + 6),
            altitude: Town.altitude(at: route.points[0]),
            noiseMeters: (3 + 3 * generator.uniform()) / 1.414,
            distanceScale: 1 + 0.01 * generator.gaussian(),
            gainScale: 1 + 0.05 * generator.gaussian(),
            fixAfterMeters: generator.happens(0.15) ? 20 + 60 * generator.uniform() : -1)
        progress.noise = gaussianSpot(progress.noiseMeters)
        var samples: [RecordedRun.Sample] = []
        samples.reserveCapacity(1600)
        let pace = metersPerSecond * (1 + 0.05 * generator.gaussian())
        let start = 20 * generator.uniform()
        let end = route.length - 20 * generator.uniform()
        progress.along = start
        stand(60 * generator.uniform(), on: route, &progress, &samples)
        var stops = self.stops(on: route)
        var kilometer = -1
        var speed = pace
        while progress.along < end {
            if Int(progress.along / 1000) != kilometer {
                kilometer = Int(progress.along / 1000)
                speed = min(max(pace * (1 + 0.04 * generator.gaussian()), 2.1), 4.5)
            }
            if let stop = stops.last, stop.along <= progress.along {
                stops.removeLast()
                stand(stop.seconds, on: route, &progress, &samples)
            }
            let away = route.spot(at: progress.along, hint: &progress.leg).meters(to: home.spot)
            let step = away > Self.denseMeters + 60 ? 5 * seconds : seconds
            progress.along += speed * step
            move(speed, step, on: route, &progress, &samples)
        }
        stand(30 * generator.uniform(), on: route, &progress, &samples)
        record = progress.sample.record + 4
        return RecordedRun(samples: samples, endedAt: progress.sample.time + 1)
    }

    private mutating func stops(on route: Route) -> [(along: Double, seconds: Double)] {
        var stops = route.cornersAlong.filter { _ in generator.happens(0.05) }.map {
            (along: $0, seconds: 5 + 35 * generator.uniform())
        }
        if generator.happens(0.1) {  // a friend's door
            let along = route.length * (0.3 + 0.4 * generator.uniform())
            stops.append((along, 60 + 540 * generator.uniform()))
        }
        return stops.sorted { $0.along > $1.along }
    }

    private mutating func stand(
        _ time: Double, on route: Route, _ progress: inout Progress,
        _ samples: inout [RecordedRun.Sample]
    ) {
        for _ in 0..<Int(time / seconds) { move(0, seconds, on: route, &progress, &samples) }
    }

    private mutating func move(
        _ speed: Double, _ step: Double, on route: Route, _ progress: inout Progress,
        _ samples: inout [RecordedRun.Sample]
    ) {
        // GPS errors drift with a time constant of twenty seconds.
        let kept = exp(-step / 20)
        let fresh = (1 - kept * kept).squareRoot()
        progress.noise =
            progress.noise * kept + gaussianSpot(progress.noiseMeters) * fresh
        let spot = route.spot(at: progress.along, hint: &progress.leg)
        if speed > 0 { progress.sample.movingSeconds += step }
        // Every fourth second is enough, because hills are longer than twelve meters.
        if step >= 4 || Int(progress.sample.elapsedSeconds) & 3 == 0, speed > 0 {
            let altitude = Town.altitude(at: spot)
            progress.sample.elevationGainMeters +=
                max(altitude - progress.altitude, 0) * progress.gainScale
            progress.altitude = altitude
        }
        progress.sample.time += step
        progress.sample.elapsedSeconds += step
        progress.sample.distanceMeters += speed * step * progress.distanceScale
        progress.sample.speed = speed
        for _ in 0..<Int(step) { progress.sample.record += generator.happens(0.5) ? 2 : 3 }
        progress.sample.spot =
            progress.along >= progress.fixAfterMeters ? spot + progress.noise : nil
        samples.append(progress.sample)
    }

    private mutating func gaussianSpot(_ meters: Double) -> Spot {
        Spot(east: meters * generator.gaussian(), north: meters * generator.gaussian())
    }
}
