import SensorModel
import Simulator

/// Homes of one town with their runs, and the attacks' results under several designs.
public struct Trial {
    public struct Score: Sendable {
        public var found: [Attack: Int] = [:]
        /// Homes for which the attack had any evidence.
        public var tried: [Attack: Int] = [:]
        public var baseline = 0.0
        public var homes = 0
        /// Shown positions nearer to home than the owner asked for.
        public var leaks = 0
        /// Meters of all runs that viewers see.
        public var shownMeters = 0.0
        public var recordedMeters = 0.0

        public init() {}

        /// Percent of all homes.
        public func percent(_ attack: Attack) -> Double? {
            guard tried[attack] != nil else { return nil }
            return 100 * Double(found[attack] ?? 0) / Double(max(homes, 1))
        }

        public var shownPercent: Double { 100 * shownMeters / max(recordedMeters, 1) }

        public var baselinePercent: Double { 100 * baseline / Double(max(homes, 1)) }
    }

    public let town: Town
    private let seed: UInt64
    private let habit: Runner.Habit
    private let seconds: Int

    /// - Parameters:
    ///   - seed: Seed of the town, its people and their runs.
    ///   - habit: How the people choose their streets.
    ///   - secondsApart: Seconds between two records of a run.
    public init(seed: UInt64, habit: Runner.Habit, secondsApart: Int = 1) {
        self.seconds = secondsApart
        self.seed = seed
        self.habit = habit
        town = Town(seed: seed)
    }

    /// - Parameters:
    ///   - homes: Number of homes, which are the same for the same seed.
    ///   - runs: Number of runs of each home.
    ///   - designs: Designs, each tried with the same runs.
    ///   - publishers: Replacements for the designs' own publishers, by the design's name.
    /// - Returns: A score for each design, in their order.
    public func scores(
        homes: Int, runs: Int, designs: [Design], publishers: [String: any Publisher] = [:]
    ) -> [Score] {
        var attackers = designs.map { Attacker(in: town, knowing: $0) }
        var scores = designs.map { _ in Score() }
        var seeds = SeededGenerator(seed: seed)
        for _ in 0..<homes {
            var runner = Runner(
                in: town, habit: habit, seed: seeds.next(), secondsApart: seconds)
            var dice = SeededGenerator(seed: seeds.next())
            let recorded = runner.runs(runs)
            for index in designs.indices {
                let design = designs[index]
                let publisher = publishers[design.name] ?? design.publisher
                let readings = settings(design, of: runner.home, &dice).map { settings in
                    recorded.map { publisher.publish($0, hiding: settings) }
                }
                scores[index].add(
                    attackers[index].attack(readings), of: runner.home, in: town)
                scores[index].countLeaks(readings, design, home: runner.home)
                scores[index].countMeters(readings.last ?? [], of: recorded)
            }
        }
        return scores
    }

    /// Settings for each place of the owner's zone.
    private func settings(
        _ design: Design, of home: Town.Building, _ dice: inout SeededGenerator
    ) -> [PrivacySettings] {
        var salt = dice.next()
        func settings(_ zones: [PrivacyZone]) -> PrivacySettings {
            PrivacySettings(
                zones: zones, trimStartMeters: design.trimMeters,
                trimFinishMeters: design.trimMeters, salt: salt)
        }
        guard !design.zoneRadii.isEmpty else { return [settings([])] }
        return design.zoneRadii.enumerated().map { change, radius in
            let shift = change == 0 ? 0 : design.zoneShift
            let center =
                home.spot
                + Spot(east: shift * dice.gaussian(), north: shift * dice.gaussian())
            if design.offset == .drawn { salt = dice.next() }
            return settings([
                PrivacyZone(
                    name: "home", latitude: TownFrame.latitude(of: center),
                    longitude: TownFrame.longitude(of: center), radiusMeters: radius)
            ])
        }
    }
}

extension Trial.Score {
    mutating func add(_ findings: Findings, of home: Town.Building, in town: Town) {
        homes += 1
        baseline += findings.baseline
        for (attack, guess) in findings.guesses {
            tried[attack, default: 0] += 1
            if guess.finds(home, in: town) { found[attack, default: 0] += 1 }
        }
    }

    mutating func countLeaks(_ readings: [[ShownRun]], _ design: Design, home: Town.Building) {
        // 60 m of slack for GPS noise and zones that are a few meters off.
        for (radius, runs) in zip(design.zoneRadii, readings) {
            for run in runs {
                leaks += run.points.count { $0.spot.meters(to: home.spot) < radius - 60 }
            }
        }
    }

    mutating func countMeters(_ shown: [ShownRun], of recorded: [RecordedRun]) {
        for run in shown {
            var last: Spot?
            for index in stride(from: 0, to: run.points.count, by: 4) {
                let spot = run.points[index].spot
                let leg = last?.meters(to: spot) ?? 0
                if leg < 160 { shownMeters += leg }
                last = spot
            }
        }
        for run in recorded { recordedMeters += run.samples.last?.distanceMeters ?? 0 }
    }
}
