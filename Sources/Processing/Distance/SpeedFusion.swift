import Glibc
import SensorModel

/// Weighs path length and the satellites' Doppler speed against each other.
///
/// A path drifts: while a receiver settles or has reflections, positions move although nobody
/// walks. (Drift never makes a path too short.) Doppler speed does not drift, but the filters of
/// most receivers report it a few percent low, each by its own factor. So the distance is the
/// Doppler distance times the factor learned from positions over long paths (``DopplerFactor``),
/// within limits from the path.
struct SpeedFusion: Sendable {
    struct Parameters: Sendable {
        /// Seconds of a stretch: long enough to average the noise of speed, short against drift.
        var stretchSeconds = 20.0
        var stretchFixes = 5
        /// Shortfall of Doppler per meter by which accuracy is worse than usual: the receiver's own
        /// filter then uses more of its past.
        var shortfallPerMeter = 0.15
        /// Usual accuracy is this multiple of the best one. The best one decays by
        /// `accuracyForgotten`, meters a second.
        var usualFactor = 1.4
        var accuracyForgotten = 0.001
        var shortfallMetersMax = 2.5
        /// Largest share of a stretch by which it may be lengthened or shortened to correct earlier
        /// stretches.
        var makingGoodMax = 0.02
        /// Weight of Doppler against the path if the receiver reports ``usualAccuracyMeters`` or
        /// worse. The factor already contains the positions of the whole path, and scatter
        /// lengthens a path.
        var dopplerShare = 0.97
        /// The same weight at ``exactAccuracyMeters``, where a path has little scatter. It also
        /// applies without courses, where the factor comes from such paths.
        var dopplerShareExact = 0.5
        var exactAccuracyMeters = 1.0
        var usualAccuracyMeters = 3.0
        /// Excess by scatter above which the path is less reliable.
        var excessTrusted = 0.015
        /// Further excess at which the path has no weight.
        var excessRange = 0.02
        /// Largest ratios that count: of path to Doppler distance, and of Doppler distance to path.
        var excessMax = 1.1
        var pullMax = 1.13
        /// Added to `pullMax` if scatter makes the path unreliable.
        var pullMaxDiscredited = 0.5
        /// Accuracy, meters, beyond which a receiver settles for a while and its positions drift.
        /// Then only Doppler limits the path.
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
    /// Displacement of the stretch, by position and by dead reckoning from Doppler; meters east and
    /// north.
    private var displacement = SIMD2<Double>.zero
    private var travel = SIMD2<Double>.zero
    private var hasCourse = true
    private var reckoning = DeadReckoning()
    private var bestAccuracy: Double?
    private var settlesUntil: Timestamp?
    private var learned = DopplerFactor()
    /// Doppler distance of all stretches that counted, and the meters credited for that distance.
    private var dopplerTaken = 0.0
    private var dopplerCredited = 0.0
    private var variations = FactorVariation()
    private var lastSpeed: Double?
    /// Meters credited while the receiver settled or its Doppler was too low.
    private(set) var doubtfulMeters = 0.0
    /// Relative effect of scatter on the length of steps, smoothed.
    private(set) var excess = 0.0

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    /// True distance for each unit of Doppler distance, as learned so far.
    var factor: Double { learned.value }

    var meters: Double { committedMeters + stretchMeters }

    /// Error of ``factor``, one standard deviation.
    var factorError: Double { learned.deviation }

    /// Relative error of the path from the variation of ``factor``, one standard deviation.
    var variation: Double { variations.share }

    /// Mean reported accuracy, meters.
    private(set) var accuracy = 4.0

    /// Notes the accuracy of a fix, usable or not.
    mutating func note(accuracy: Double?, at time: Timestamp) {
        guard let accuracy else { return }
        self.accuracy += 0.05 * (min(accuracy, 50) - self.accuracy)
        if accuracy > parameters.settlingAccuracyMeters {
            settlesUntil = time.advanced(bySeconds: parameters.settlingSeconds)
        }
    }

    /// - Parameters:
    ///   - pathMeters: Growth of the path.
    ///   - step: The step from the last fix to this one.
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

    /// Adds meters measured by another source.
    mutating func credit(_ meters: Double) {
        close()
        committedMeters += meters
    }

    /// Handles a hole, whose path speed and course do not know.
    mutating func loseTrack() {
        close()
        learned.loseTrack()
        lastSpeed = nil
        reckoning.forget()
    }

    /// Handles a fix while the runner waits, which adds no path.
    mutating func wait(_ step: FixGate.Step) {
        close()
        let displacement = Self.displacement(of: step)
        learned.note(
            displacement: displacement, travel: nil, seconds: step.seconds, accuracy: accuracy)
        lastSpeed = step.location.speed
        reckoning.forget()
    }

    /// Ends the stretch, for example at a pause or a hole.
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

    /// Credits the stretch, and corrects earlier ones whose factor was less certain.
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

    /// Mean accuracy of the stretch so far, meters.
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

    /// Unreliability of the path because of scatter, 0…1.
    private var discredit: Double {
        min(max((excess - parameters.excessTrusted) / parameters.excessRange, 0), 1)
    }

    /// Returns the weighted geometric mean, since the errors of both are relative.
    private func blend(_ path: Double, _ doppler: Double, _ share: Double) -> Double {
        guard path > 0, doppler > 0 else { return min(path, doppler) }
        return exp((1 - share) * log(path) + share * log(doppler))
    }

    /// Updates the best accuracy from a whole stretch, since that of a single fix is unreliable.
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
        // Projected on the Doppler path: scatter lengthens a path but, on average, no projection.
        let way = hasCourse ? length(travel) : doppler
        variations.note(
            path: hasCourse ? (displacement * travel).sum() / max(way, 0.1) : path, doppler: way,
            seconds: seconds, accuracy: meanAccuracy, factor: factor)
    }
}
