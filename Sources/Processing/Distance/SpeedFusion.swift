import Glibc
import SensorModel

/// Path length and the satellites' Doppler speed weighed against each other.
///
/// A path drifts: while a receiver settles or reflections move it, positions wander with no one
/// walking (a path is never too short for that reason). Doppler speed does not wander, but most
/// receivers' filters hold it a few percent short, each by its own factor. So Doppler is counted,
/// times the factor that positions teach over long ways (``DopplerFactor``), within bounds that
/// the path sets.
struct SpeedFusion: Sendable {
    struct Parameters: Sendable {
        /// Seconds of a stretch: long enough to average the noise of speed, short against drift.
        var stretchSeconds = 20.0
        var stretchFixes = 5
        /// Doppler falls this much shorter for each meter that accuracy is worse than usual when
        /// good: the receiver's own filter leans on its past then.
        var shortfallPerMeter = 0.15
        /// Usual: this many times the best, which is forgotten by so many meters a second.
        var usualFactor = 1.4
        var accuracyForgotten = 0.001
        var shortfallMetersMax = 2.5
        /// Over which Doppler is held against the path: a minute, if it is of so many meters. What
        /// differs by more than the limit is no variation but one of both gone wrong.
        var minuteSeconds = 60.0
        var minuteMetersMin = 20.0
        var minuteDifferenceMax = 0.2
        /// Error of its two ends together, one standard deviation, in units of the accuracy.
        var endsShare = 1.0
        /// Share of a stretch by which it may be longer or shorter to make good what came before.
        var makingGoodMax = 0.02
        /// Share of Doppler against the path: its factor holds what positions know already, and
        /// the path itself adds the length of its noise. Where a receiver claims to be off by a
        /// meter there is little of that, and the path counts as much.
        var dopplerShare = 0.97
        var dopplerShareExact = 0.5
        var exactAccuracyMeters = 1.0
        var usualAccuracyMeters = 3.0
        /// Scatter that lengthens steps by more than this share makes the path a bad witness …
        var excessTrusted = 0.015
        /// … and by this much more, none.
        var excessRange = 0.02
        /// The path counts at most this much longer than Doppler, and Doppler than the path.
        var excessMax = 1.1
        var pullMax = 1.13
        /// Added to it where scatter discredits the path.
        var pullMaxDiscredited = 0.5
        /// A receiver whose accuracy was worse than this settles for a while, and its positions
        /// wander: then Doppler alone bounds the path.
        var settlingAccuracyMeters = 15.0
        var settlingSeconds = 90.0
    }

    let parameters: Parameters
    private(set) var committedMeters = 0.0
    private var path = 0.0
    private var doppler = 0.0
    private var seconds = 0.0
    private var fixes = 0
    private var accuracySum = 0.0
    private var hasDoppler = true
    /// Where the stretch went by position, and where by Doppler speed and course; meters east, north.
    private var displacement = SIMD2<Double>.zero
    private var travel = SIMD2<Double>.zero
    private var hasCourse = true
    private var lastVelocity: SIMD2<Double>?
    private var bestAccuracy: Double?
    private var settlesUntil: Timestamp?
    private var learned = DopplerFactor()
    /// Doppler distance that counted in all stretches, and what it was credited with.
    private var dopplerTaken = 0.0
    private var dopplerCredited = 0.0
    private var minute = (path: 0.0, doppler: 0.0, seconds: 0.0, accuracy: 0.0)
    private var minutes = 0.0
    private var differences = 0.0
    private var lastSpeed: Double?
    /// Credited while the receiver settled or its Doppler fell short.
    private(set) var doubtfulMeters = 0.0
    /// Share by which scatter lengthens steps, smoothed.
    private(set) var excess = 0.0

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    /// True distance per Doppler distance, as far as learned.
    var factor: Double { learned.value }

    var meters: Double { committedMeters + stretchMeters }

    /// Deviation of ``factor`` that is left.
    var factorError: Double { learned.deviation }

    /// Mean accuracy the receiver claims, meters.
    private(set) var accuracy = 4.0

    /// Takes note of a fix's accuracy, usable or not.
    mutating func note(accuracy: Double?, at time: Timestamp) {
        guard let accuracy else { return }
        self.accuracy += 0.05 * (min(accuracy, 50) - self.accuracy)
        if accuracy > parameters.settlingAccuracyMeters {
            settlesUntil = time.advanced(bySeconds: parameters.settlingSeconds)
        }
    }

    /// - Parameters:
    ///   - pathMeters: What the path grew by.
    ///   - step: From the last fix to this one.
    ///   - scatter: Variance of the path's steps across their direction, m².
    mutating func add(pathMeters: Double, step: FixGate.Step, scatter: Double = 0) {
        path += pathMeters
        let stepMeters = max((step.location.speed ?? step.speed) * step.seconds, 0.3)
        excess += 0.05 * (min(scatter / (2 * stepMeters * stepMeters), 0.5) - excess)
        seconds += step.seconds
        fixes += 1
        if let speed = step.location.speed, let accuracy = step.location.horizontalAccuracy {
            doppler += (speed + (lastSpeed ?? speed)) / 2 * step.seconds
            accuracySum += accuracy
            lastSpeed = speed
        } else {
            hasDoppler = false
            lastSpeed = nil
        }
        noteDirection(step)
        guard seconds >= parameters.stretchSeconds, fixes >= parameters.stretchFixes else { return }
        if let settlesUntil, step.to > settlesUntil { self.settlesUntil = nil }
        close()
    }

    /// Adds meters that were measured in another way.
    mutating func credit(_ meters: Double) {
        close()
        committedMeters += meters
    }

    /// A way of which speed and course know nothing: a hole.
    mutating func loseTrack() {
        close()
        learned.loseTrack()
        lastSpeed = nil
        lastVelocity = nil
    }

    /// No way: the runner waits.
    mutating func wait(_ step: FixGate.Step) {
        close()
        let displacement = Self.displacement(of: step)
        learned.note(
            displacement: displacement, travel: nil, seconds: step.seconds, accuracy: accuracy)
        lastSpeed = step.location.speed
        lastVelocity = nil
    }

    /// Ends the stretch, as at a pause or a hole.
    mutating func close() {
        noteBest()
        learn()
        commit()
        path = 0
        doppler = 0
        seconds = 0
        fixes = 0
        accuracySum = 0
        hasDoppler = true
        displacement = .zero
        travel = .zero
        hasCourse = true
    }

    private mutating func noteDirection(_ step: FixGate.Step) {
        displacement += Self.displacement(of: step)
        guard let speed = step.location.speed, let course = step.location.course else {
            hasCourse = false
            lastVelocity = nil
            return
        }
        let angle = course * Double.pi / 180
        let velocity = speed * SIMD2(sin(angle), cos(angle))
        // As long as both speeds say, along the mean of both courses: their noise must not shorten
        // the way. A turn does, by the chord of its arc.
        let before = lastVelocity ?? velocity
        let size = length(velocity + before)
        if size > 0, speed > 0 {
            let speeds = speed + length(before)
            let across = before.x * velocity.y - before.y * velocity.x
            let halfTurn = atan2(abs(across), (before * velocity).sum()) / 2
            let chord = halfTurn > 0 ? sin(halfTurn) / halfTurn : 1
            travel += (velocity + before) / size * (chord * speeds / 2 * step.seconds)
        }
        lastVelocity = velocity
    }

    private func length(_ vector: SIMD2<Double>) -> Double {
        (vector * vector).sum().squareRoot()
    }

    private static func displacement(of step: FixGate.Step) -> SIMD2<Double> {
        Geodesy.offset(
            of: (step.location.latitude, step.location.longitude),
            from: (step.previous.latitude, step.previous.longitude))
    }

    /// Takes the stretch over, and makes good what earlier ones got by a factor known less well.
    private mutating func commit() {
        let meters = stretchMeters
        committedMeters += meters
        if isDoubtful { doubtfulMeters += meters }
        guard hasDoppler, hasCourse, path > 0 else { return }
        let share = dopplerShare
        dopplerTaken += share * doppler
        dopplerCredited += share * factor * doppler
        let owed = factor * dopplerTaken - dopplerCredited
        let paid = min(
            max(owed, -parameters.makingGoodMax * meters), parameters.makingGoodMax * meters)
        dopplerCredited += paid
        committedMeters += paid
    }

    private var isSettling: Bool {
        settlesUntil != nil
    }

    private var isDoubtful: Bool { hasDoppler && (isSettling || shortfall > 0) }

    private var shortfall: Double {
        guard !isSettling, let bestAccuracy, fixes > 0 else { return 0 }
        let usual = parameters.usualFactor * bestAccuracy
        let worse = accuracySum / Double(fixes) - usual
        return parameters.shortfallPerMeter * min(max(worse, 0), parameters.shortfallMetersMax)
    }

    private var stretchMeters: Double {
        guard hasDoppler, fixes > 0, path > 0 else { return path }
        let expected = (factor + shortfall) * doppler
        if path > expected {
            guard !isSettling else { return expected }
            let bounded = min(path, parameters.excessMax * expected)
            return blend(bounded, expected, dopplerShare)
        }
        let pullMax = parameters.pullMax + discredit * parameters.pullMaxDiscredited
        let pulled = min(expected, pullMax * path)
        return blend(path, pulled, dopplerShare)
    }

    private var dopplerShare: Double {
        let mean = fixes > 0 ? accuracySum / Double(fixes) : parameters.usualAccuracyMeters
        let range = parameters.usualAccuracyMeters - parameters.exactAccuracyMeters
        let blur = min(max((mean - parameters.exactAccuracyMeters) / range, 0), 1)
        return parameters.dopplerShareExact
            + blur * (parameters.dopplerShare - parameters.dopplerShareExact)
    }

    /// 0…1: how far scatter discredits the path.
    private var discredit: Double {
        min(max((excess - parameters.excessTrusted) / parameters.excessRange, 0), 1)
    }

    /// Weighted geometric mean: errors of both are shares of the distance.
    private func blend(_ path: Double, _ doppler: Double, _ share: Double) -> Double {
        guard path > 0, doppler > 0 else { return min(path, doppler) }
        return exp((1 - share) * log(path) + share * log(doppler))
    }

    /// What path and Doppler differ by over a minute, less what positions alone make of it.
    private mutating func noteMinute() {
        guard hasDoppler, !isSettling, shortfall == 0 else {
            minute = (0, 0, 0, 0)
            return
        }
        // Along the way that Doppler made: scatter lengthens a path but, in the mean, no projection.
        let reckoned = hasCourse ? length(travel) : doppler
        minute.path += hasCourse ? (displacement * travel).sum() / max(reckoned, 0.1) : path
        minute.doppler += reckoned
        minute.seconds += seconds
        minute.accuracy += accuracySum / Double(fixes) * seconds
        guard minute.seconds >= parameters.minuteSeconds else { return }
        defer { minute = (0, 0, 0, 0) }
        let expected = factor * minute.doppler
        guard expected > parameters.minuteMetersMin, minute.path > 0 else { return }
        let difference = min(abs(log(minute.path / expected)), parameters.minuteDifferenceMax)
        let ends = parameters.endsShare * minute.accuracy / minute.seconds / expected
        minutes += 1
        differences += difference * difference - ends * ends
    }

    /// Share of the way by which Doppler's factor has varied from minute to minute, what is left
    /// of it over all of them; one standard deviation.
    var variation: Double {
        minutes > 0 ? max(0, differences).squareRoot() / minutes : 0
    }

    /// Of whole stretches, since a single fix may claim anything.
    private mutating func noteBest() {
        guard hasDoppler, fixes >= parameters.stretchFixes else { return }
        let mean = accuracySum / Double(fixes)
        bestAccuracy = min(mean, (bestAccuracy ?? mean) + parameters.accuracyForgotten * seconds)
    }

    private mutating func learn() {
        guard fixes > 0 else { return }
        noteMinute()
        guard hasDoppler, !isSettling else { return learned.loseTrack() }
        guard hasCourse else {
            learned.loseTrack()
            guard shortfall == 0, doppler > 10 else { return }
            return learned.note(ratio: path / doppler)
        }
        learned.note(
            displacement: displacement, travel: travel, seconds: seconds,
            accuracy: accuracySum / Double(fixes), isDoubtful: shortfall > 0)
    }
}
