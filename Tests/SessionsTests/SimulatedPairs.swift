import Glibc
import SensorModel
import Simulator

/// Simulated runs that are hard to tell apart, and copies of a run that are hard to recognize.
struct SimulatedPairs {
    typealias Pair = (file: [Frame], session: [Frame])

    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    // MARK: Different runs

    enum Difference: CaseIterable {
        /// The same course and plan on another day, at the same time of the day.
        case otherDay
        /// Another runner with the same plan on the same course, 8 to 60 s behind.
        case behind
        /// Another runner, who starts at the same moment and is 3 to 10 % slower.
        case slower
        /// Another runner on the same course, who starts in the first half of the run.
        case later
        /// Another runner, who starts at the same moment in another direction.
        case otherDirection
        /// A course of the same form, 150 m to 2 km away, at the same moment.
        case elsewhere
        /// The next round: it begins in the last 30 s of the run before.
        case nextRound
        /// Two runners of the same age and form with the same plan on treadmills, without positions.
        case treadmills
        /// Two runners on treadmills, with receivers that say where these are.
        case treadmillsWithPositions
        /// The same runner on a treadmill at another speed, without positions.
        case otherSpeed

        fileprivate var isOnTreadmill: Bool {
            [.treadmills, .treadmillsWithPositions, .otherSpeed].contains(self)
        }
    }

    mutating func pair(_ difference: Difference) -> Pair {
        let (plan, seed) = (plan(), generator.next())
        var settings = person()
        var other = [.treadmills, .otherSpeed].contains(difference) ? settings : person()
        (other.startTime, other.route) = (settings.startTime, settings.route)
        let hasPositions = ![.treadmills, .otherSpeed].contains(difference)
        (settings.sendsLocation, other.sendsLocation) = (hasPositions, hasPositions)
        // Outdoors, positions must tell them apart without a heart rate, too.
        other.sendsHeartRate = difference.isOnTreadmill || .random(using: &generator)
        var (otherPlan, isSameCourse) = (plan, true)
        switch difference {
        case .otherDay: other.startTime += 86_400 * Double(Int.random(in: 1...7, using: &generator))
        case .behind: other.startTime += .random(in: 8...60, using: &generator)
        case .slower: otherPlan = plan.faster(.random(in: 0.9...0.97, using: &generator))
        case .later: other.startTime += .random(in: 0.1...0.45, using: &generator) * plan.seconds
        case .otherDirection: isSameCourse = false
        case .elsewhere:
            other.latitude += .random(in: 150...2000, using: &generator) / 111_195
        case .nextRound: other.startTime += plan.seconds - .random(in: 0...30, using: &generator)
        case .otherSpeed: otherPlan = plan.faster(1.05)
        case .treadmills, .treadmillsWithPositions: break
        }
        var otherSeed = generator.next()
        let heading = Self.heading(seed)
        while (Self.heading(otherSeed) == heading) != isSameCourse { otherSeed &+= 1 }
        let pair = (
            file: Self.frames(seed, plan, settings),
            session: Self.frames(otherSeed, otherPlan, other)
        )
        guard difference == .treadmillsWithPositions else { return pair }
        return (atOnePlace(pair.file), atOnePlace(pair.session))
    }

    /// A body, a strap and a receiver.
    private mutating func person() -> RunnerSettings {
        var settings = RunnerSettings()
        settings.motionRate = 0
        (settings.sendsPressure, settings.sendsStatus, settings.keepsTruth) = (false, false, false)
        settings.restingHeartRate = .random(in: 45...70, using: &generator)
        settings.maxHeartRate = .random(in: 165...205, using: &generator)
        settings.maxAerobicSpeed = .random(in: 4...5.5, using: &generator)
        settings.positionError = .random(in: 2...5, using: &generator)
        settings.route = .circle(radiusMeters: .random(in: 80...400, using: &generator))
        settings.startTime += .random(in: 0...1e6, using: &generator)
        return settings
    }

    private mutating func plan() -> RunPlan {
        let minutes = Double.random(in: 8...14, using: &generator)
        let speed = Double.random(in: 2.6...3.8, using: &generator)
        return Bool.random(using: &generator)
            ? .easy(minutes: minutes, speed: speed)
            : .city(minutes: minutes, seed: generator.next(), speed: speed)
    }

    /// Frames whose positions are at the first one, as two receivers in a hall say.
    private mutating func atOnePlace(_ frames: [Frame]) -> [Frame] {
        let metersPerDegree = 111_195.0
        return frames.map { frame in
            guard case .location = frame.payload else { return frame }
            let (north, east) = (5 * generator.gaussian(), 5 * generator.gaussian())
            return frame.with(
                try? Location(
                    latitude: 31.5 + north / metersPerDegree,
                    longitude: -38.25 + east / metersPerDegree))
        }
    }

    /// The quarter of the compass in which the runner of a seed starts.
    private static func heading(_ seed: UInt64) -> Int {
        var settings = RunnerSettings()
        (settings.motionRate, settings.positionError) = (0, 0)
        settings.route = .circle(radiusMeters: 1000)
        let fixes = frames(seed, RunPlan(legs: [.init(seconds: 12, speed: 4)]), settings)
            .compactMap { if case .location(let at) = $0.payload { at } else { nil } }
        guard let last = fixes.last else { return 0 }
        let (north, east) = (last.latitude - settings.latitude, last.longitude - settings.longitude)
        return abs(north) > abs(east) ? (north > 0 ? 0 : 2) : (east > 0 ? 1 : 3)
    }

    private static func frames(
        _ seed: UInt64, _ plan: RunPlan, _ settings: RunnerSettings
    ) -> [Frame] {
        var runner = SimulatedRunner(seed: seed, plan: plan, settings: settings)
        var frames: [Frame] = []
        while let next = runner.next() { frames.append(next.frame) }
        return frames
    }

    // MARK: Copies of a run

    /// What happened to the file of a run on its way.
    enum Copy: CaseIterable {
        case none, cutAtStart, cutAtEnd, cutAtBoth, secondEarly, secondLate, otherClock
        case everySecondPoint, everyFifthPoint, fiveDecimals, fourDecimals, otherReceiver
    }

    /// Sensors that both files have.
    enum Sensors: CaseIterable {
        case all, positions, heartRates
    }

    mutating func pair(_ copy: Copy, _ sensors: Sensors) -> Pair {
        var settings = person()
        settings.sendsLocation = sensors != .heartRates
        settings.sendsHeartRate = sensors != .positions
        let run = Self.frames(generator.next(), plan(), settings)
        // One of both is the session.
        let changed = changed(run, copy)
        return Bool.random(using: &generator) ? (changed, run) : (run, changed)
    }

    private mutating func changed(_ run: [Frame], _ copy: Copy) -> [Frame] {
        let cut = Int(.random(in: 0.1...0.6, using: &generator) * Double(run.count))
        switch copy {
        case .none: return run
        case .cutAtStart: return Array(run.dropFirst(cut))
        case .cutAtEnd: return Array(run.dropLast(cut))
        case .cutAtBoth: return Array(run.dropFirst(cut / 2).dropLast(cut / 2))
        case .secondEarly: return run.map { $0.later(by: -1) }
        case .secondLate: return run.map { $0.later(by: 1) }
        case .otherClock:
            let seconds = Double.random(in: -2...2, using: &generator)
            return run.map { $0.later(by: seconds) }
        case .everySecondPoint: return thinned(run, to: 2)
        case .everyFifthPoint: return thinned(run, to: 5)
        case .fiveDecimals: return run.map { $0.rounded(1e5) }
        case .fourDecimals: return run.map { $0.rounded(1e4) }
        case .otherReceiver: return otherReceiver(run)
        }
    }

    /// Keeps all values of each n-th second.
    private func thinned(_ run: [Frame], to each: Int64) -> [Frame] {
        guard let start = run.first?.deviceTime else { return run }
        return run.filter {
            ($0.deviceTime.microseconds - start.microseconds) / 1_000_000 % each == 0
        }
    }

    /// The positions of another receiver on the same wrist: its error is its own, and drifts.
    private mutating func otherReceiver(_ run: [Frame]) -> [Frame] {
        var (north, east) = (4 * generator.gaussian(), 4 * generator.gaussian())
        return run.map { frame in
            guard case .location(let at) = frame.payload else { return frame }
            north = 0.98 * north + 0.8 * generator.gaussian()
            east = 0.98 * east + 0.8 * generator.gaussian()
            return frame.with(
                try? Location(
                    latitude: at.latitude + north / 111_195,
                    longitude: at.longitude + east / 95_000))
        }
    }
}

extension RunPlan {
    fileprivate func faster(_ factor: Double) -> RunPlan {
        var plan = self
        for index in plan.legs.indices { plan.legs[index].speed *= factor }
        return plan
    }
}

extension Timestamp {
    fileprivate static func += (time: inout Timestamp, seconds: Double) {
        time = time.advanced(bySeconds: seconds)
    }
}

extension Frame {
    fileprivate func later(by seconds: Double) -> Frame {
        Frame(
            sequence: sequence, deviceTime: deviceTime.advanced(bySeconds: seconds),
            payload: payload)
    }

    fileprivate func with(_ location: Location?) -> Frame {
        guard let location else { return self }
        return Frame(sequence: sequence, deviceTime: deviceTime, payload: .location(location))
    }

    /// The frame with coordinates of so many parts of a degree.
    fileprivate func rounded(_ parts: Double) -> Frame {
        guard case .location(let at) = payload else { return self }
        return with(
            try? Location(
                latitude: (at.latitude * parts).rounded() / parts,
                longitude: (at.longitude * parts).rounded() / parts))
    }
}
