/// A runner's plan, which is a sequence of legs.
public struct RunPlan: Hashable, Sendable {
    public struct Leg: Hashable, Sendable {
        /// Duration in seconds; a leg begins at a whole second.
        public var seconds: Double
        /// Meters per second: 0 is standing, below 2 a walk, from 2 a run.
        public var speed: Double
        /// Whether the runner presses pause when the leg begins, and resume when it ends.
        public var pausedByHand: Bool

        public init(seconds: Double, speed: Double, pausedByHand: Bool = false) {
            self.seconds = seconds
            self.speed = speed
            self.pausedByHand = pausedByHand
        }
    }

    public var legs: [Leg]
    /// Whether the plan continues with the first leg after the last one, without end.
    public var repeats: Bool

    public init(legs: [Leg], repeats: Bool = false) {
        self.legs = legs
        self.repeats = repeats
    }

    public var seconds: Double { legs.reduce(0) { $0 + $1.seconds } }

    /// A warm-up, an even run and a cool-down.
    public static func easy(minutes: Double, speed: Double = 3.0) -> RunPlan {
        let total = minutes * 60
        let edge = min(120, total * 0.15)
        return RunPlan(legs: [
            Leg(seconds: edge, speed: speed * 0.75),
            Leg(seconds: total - 2 * edge, speed: speed),
            Leg(seconds: edge, speed: speed * 0.7),
        ])
    }

    /// A run through a town: stops at lights and some walking.
    public static func city(minutes: Double, seed: UInt64, speed: Double = 3.0) -> RunPlan {
        var generator = SeededGenerator(seed: seed ^ 0xC17C)
        var legs = [Leg(seconds: 10, speed: 0), Leg(seconds: 60, speed: speed * 0.8)]
        var total = 70.0
        while total < minutes * 60 {
            let run = Leg(
                seconds: (60 + 180 * generator.uniform()).rounded(),
                speed: speed * (0.9 + 0.2 * generator.uniform()))
            let isWalk = generator.happens(0.25)
            let rest = Leg(
                seconds: ((isWalk ? 40 : 12) + 40 * generator.uniform()).rounded(),
                speed: isWalk ? 1.4 : 0)
            legs.append(run)
            legs.append(rest)
            total += run.seconds + rest.seconds
        }
        return RunPlan(legs: legs)
    }

    /// A hike of slow legs, 0.5 to 1.1 m/s, with stops of 15 to 90 s.
    public static func hike(minutes: Double, seed: UInt64) -> RunPlan {
        var generator = SeededGenerator(seed: seed ^ 0x41CE)
        var legs: [Leg] = []
        var total = 0.0
        while total < minutes * 60 {
            let walk = Leg(
                seconds: (60 + 180 * generator.uniform()).rounded(),
                speed: 0.5 + 0.6 * generator.uniform())
            let stop = Leg(seconds: (15 + 75 * generator.uniform()).rounded(), speed: 0)
            legs += [walk, stop]
            total += walk.seconds + stop.seconds
        }
        return RunPlan(legs: legs)
    }

    /// Fast and slow legs alternately, after a warm-up.
    public static func intervals(
        count: Int, fast: Leg = Leg(seconds: 120, speed: 4.5),
        slow: Leg = Leg(seconds: 90, speed: 2.4)
    ) -> RunPlan {
        var legs = [Leg(seconds: 300, speed: 2.7)]
        for _ in 0..<count { legs += [fast, slow] }
        legs.append(Leg(seconds: 180, speed: 2.4))
        return RunPlan(legs: legs)
    }

    /// The plan of `pulsecast demo`: an event every minute, without end.
    public static let demo = RunPlan(
        legs: [
            Leg(seconds: 60, speed: 2.6), Leg(seconds: 90, speed: 3.1),
            Leg(seconds: 25, speed: 0), Leg(seconds: 120, speed: 3.4),
            Leg(seconds: 45, speed: 1.4), Leg(seconds: 60, speed: 4.2),
            Leg(seconds: 90, speed: 2.8),
        ], repeats: true)

    /// Returns the leg at a time and its number, counted over all rounds; `nil` after the end.
    func leg(at seconds: Double) -> (leg: Leg, number: Int)? {
        let round = self.seconds
        guard round > 0 else { return nil }
        let rounds = repeats ? (seconds / round).rounded(.down) : 0
        var rest = seconds - rounds * round
        for (index, leg) in legs.enumerated() {
            if rest < leg.seconds { return (leg, Int(rounds) * legs.count + index) }
            rest -= leg.seconds
        }
        return nil
    }
}
