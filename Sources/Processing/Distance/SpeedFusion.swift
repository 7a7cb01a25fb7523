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
        /// Share of a stretch by which it may be longer or shorter to make good what came before.
        var makingGoodMax = 0.02
        /// Share of Doppler against the path, where the receiver claims ``usualAccuracyMeters`` or
        /// worse: the factor holds already what positions know over the whole way, and a path is
        /// lengthened by its own scatter.
        var dopplerShare = 0.97
        /// The same at ``exactAccuracyMeters``, when a path has little scatter, and where no course
        /// is sent, when the factor is taken from such paths and knows no more than they do.
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
    private var reckoning = DeadReckoning()
    private var bestAccuracy: Double?
    private var settlesUntil: Timestamp?
    private var learned = DopplerFactor()
    /// Doppler distance that counted in all stretches, and what it was credited with.
    private var dopplerTaken = 0.0
    private var dopplerCredited = 0.0
    private var variations = FactorVariation()
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

    /// One standard deviation of what is unknown of ``factor``.
    var factorError: Double { learned.deviation }

    /// Share of the way by which ``factor`` is left unknown because it varies; one standard
    /// deviation.
    var variation: Double { variations.share }

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
        reckoning.forget()
    }

    /// No way: the runner waits.
    mutating func wait(_ step: FixGate.Step) {
        close()
        let displacement = Self.displacement(of: step)
        learned.note(
            displacement: displacement, travel: nil, seconds: step.seconds, accuracy: accuracy)
        lastSpeed = step.location.speed
        reckoning.forget()
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
            reckoning.forget()
            return
        }
        travel += reckoning.advance(speed: speed, course: course, seconds: step.seconds)
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

    /// Of the stretch so far, meters.
    private var meanAccuracy: Double {
        fixes > 0 ? accuracySum / Double(fixes) : parameters.usualAccuracyMeters
    }

    private var isSettling: Bool {
        settlesUntil != nil
    }

    private var isDoubtful: Bool { hasDoppler && (isSettling || shortfall > 0) }

    private var shortfall: Double {
        guard !isSettling, let bestAccuracy, fixes > 0 else { return 0 }
        let usual = parameters.usualFactor * bestAccuracy
        let worse = meanAccuracy - usual
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
        guard hasCourse else { return parameters.dopplerShareExact }
        let range = parameters.usualAccuracyMeters - parameters.exactAccuracyMeters
        let blur = min(max((meanAccuracy - parameters.exactAccuracyMeters) / range, 0), 1)
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

    /// Of whole stretches, since a single fix may claim anything.
    private mutating func noteBest() {
        guard hasDoppler, fixes >= parameters.stretchFixes else { return }
        let forgotten = parameters.accuracyForgotten * seconds
        bestAccuracy = min(meanAccuracy, (bestAccuracy ?? meanAccuracy) + forgotten)
    }

    private mutating func learn() {
        guard fixes > 0 else { return }
        noteVariation()
        guard hasDoppler, !isSettling else { return learned.loseTrack() }
        guard hasCourse else {
            learned.loseTrack()
            guard shortfall == 0, doppler > 10 else { return }
            return learned.note(ratio: path / doppler)
        }
        learned.note(
            displacement: displacement, travel: travel, seconds: seconds, accuracy: meanAccuracy,
            isDoubtful: shortfall > 0)
    }

    private mutating func noteVariation() {
        guard hasDoppler, !isSettling, shortfall == 0 else { return variations.beginAfresh() }
        // Along the way that Doppler made: scatter lengthens a path but, in the mean, no projection.
        let way = hasCourse ? length(travel) : doppler
        variations.note(
            path: hasCourse ? (displacement * travel).sum() / max(way, 0.1) : path, doppler: way,
            seconds: seconds, accuracy: meanAccuracy, factor: factor)
    }
}
