import SensorModel

/// Selects the fixes that may measure distance, and computes the steps between them.
///
/// The gates are the reference's (accuracy within 0…20 m, slower than 15 m/s), with two changes. A
/// fix with the same or an earlier time changes nothing. A fix that is too far away becomes the new
/// anchor only after a second one agrees with it, so one bad fix has no effect.
struct FixGate: Sendable {
    struct Parameters: Sendable {
        /// Limit of accuracy, exclusive, meters: the reference's gate for distance.
        var accuracyMetersMax = 20.0
        /// Limit of speed, exclusive, m/s (54 km/h): the reference's gate. A sprint has 12, a
        /// descent on wheels more.
        var speedMax = 15.0
        /// Minimum share of a faster step that the satellites' own speed must confirm.
        var dopplerShare = 0.6
        /// Factor and addend (m/s) over the recent speed beyond which a step is doubted. A runner's
        /// speed does not triple between two fixes.
        var surgeFactor = 2.0
        var surgeAddend = 3.0
        /// Factor and addend (m/s) over the recent speed beyond which a hole is a jump, because the
        /// receiver resumed elsewhere. A looser limit credits jumps; a tighter one drops a hard
        /// acceleration.
        var holeSurgeFactor = 1.6
        var holeSurgeAddend = 1.0
        /// Seconds without a usable fix that make a hole, and the same in intervals of this source.
        var holeSecondsMin = 5.0
        var holeIntervals = 3.0
        /// Weight of a new interval in the source's rhythm.
        var rhythmGain = 0.1
    }

    /// The step from the last usable fix to this one.
    struct Step: Sendable {
        var from: Timestamp
        var to: Timestamp
        var previous: Location
        var location: Location
        /// Straight distance between the two fixes.
        var meters: Double
        var seconds: Double
        /// Whether the interval is far longer than the source's rhythm.
        var isHole: Bool
        /// Whether the track continues elsewhere, so that the line to it is not a path.
        var isJump: Bool
        /// Distance at the earlier speed during the step; `nil` if unknown.
        var expectedMeters: Double?

        var speed: Double { seconds > 0 ? meters / seconds : 0 }
    }

    enum Verdict: Sendable {
        case first(Location)
        case step(Step)
        case refused
    }

    let parameters: Parameters
    private(set) var rhythmSeconds = 1.0
    private(set) var anchor: (location: Location, time: Timestamp)?
    private var newestTime: Timestamp?
    private var doubted: (location: Location, time: Timestamp)?
    private var recentSpeed: Double?

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    /// Seconds without a fix that make a hole.
    var holeSeconds: Double {
        max(parameters.holeSecondsMin, parameters.holeIntervals * rhythmSeconds)
    }

    mutating func admit(_ location: Location, at time: Timestamp) -> Verdict {
        if let newestTime {
            guard time > newestTime else { return .refused }
            let interval = min(time.seconds(since: newestTime), 3 * rhythmSeconds + 1)
            rhythmSeconds += parameters.rhythmGain * (interval - rhythmSeconds)
        }
        newestTime = time
        if let accuracy = location.horizontalAccuracy {
            guard accuracy > 0, accuracy < parameters.accuracyMetersMax else { return .refused }
        }
        guard let anchor else {
            self.anchor = (location, time)
            return .first(location)
        }
        var step = makeStep(from: anchor, to: location, at: time)
        if isPlausible(step) {
            doubted = nil
            step.isJump = step.isHole && leaps(step)
            return accept(step)
        }
        if let doubted {
            let other = makeStep(from: doubted, to: location, at: time)
            if isPlausible(other), other.seconds < holeSeconds {
                step.isJump = true
                self.doubted = nil
                return accept(step)
            }
        }
        doubted = (location, time)
        return .refused
    }

    private mutating func accept(_ step: Step) -> Verdict {
        anchor = (step.location, step.to)
        if step.isJump {
            recentSpeed = nil
        } else {
            let speed = step.location.speed ?? step.speed
            recentSpeed = recentSpeed.map { $0 + 0.3 * (speed - $0) } ?? speed
        }
        return .step(step)
    }

    private func makeStep(
        from start: (location: Location, time: Timestamp), to location: Location,
        at time: Timestamp
    ) -> Step {
        let seconds = time.seconds(since: start.time)
        return Step(
            from: start.time, to: time, previous: start.location, location: location,
            meters: Geodesy.meters(from: start.location, to: location), seconds: seconds,
            isHole: seconds > holeSeconds, isJump: false,
            expectedMeters: recentSpeed.map { $0 * seconds })
    }

    private func leaps(_ step: Step) -> Bool {
        guard let recentSpeed else { return false }
        let usual = max(recentSpeed, step.location.speed ?? 0)
        return step.speed > parameters.holeSurgeFactor * usual + parameters.holeSurgeAddend
    }

    private func isPlausible(_ step: Step) -> Bool {
        guard step.seconds > 0 else { return false }
        let speed = step.speed
        if let doppler = step.location.speed, doppler >= parameters.dopplerShare * speed {
            return true
        }
        guard speed < parameters.speedMax else { return false }
        guard let recentSpeed, !step.isHole else { return true }
        // A step within the reported uncertainty is not a surge.
        let blur = (step.location.horizontalAccuracy ?? 3) / max(step.seconds, 1)
        return speed < parameters.surgeFactor * recentSpeed + parameters.surgeAddend + blur
    }
}
