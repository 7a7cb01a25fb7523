import Glibc
import SensorModel

/// Path length and the satellites' Doppler speed weighed against each other.
///
/// A path drifts: while a receiver settles or reflections move it, positions wander with no one
/// walking (a path is never too short for that reason). Doppler speed does not wander, but most
/// receivers' filters hold it a few percent short, each by its own factor. So the factor is learned
/// from stretches of good reception, and where the path claims more than Doppler explains, the
/// geometric mean of both is taken. Weights: regression of 20 s stretches against a measuring
/// wheel, in which path and Doppler errors were of like size and opposite sign.
struct SpeedFusion: Sendable {
    struct Parameters: Sendable {
        /// Seconds of a stretch: long enough to average the noise of speed, short against drift.
        var stretchSeconds = 20.0
        var stretchFixes = 5
        /// Path per Doppler distance before anything is learned, and its weight in stretches.
        var factorPrior = 1.035
        var factorPriorWeight = 4.0
        /// Deviation of receivers from ``factorPrior``, as a share.
        var factorSpread = 0.03
        /// A stretch's ratio counts as at most this far from what is learned, either way: one
        /// stretch of drift must not teach, and a cut on one side alone would bias.
        var factorStepMax = 0.06
        /// How many times wider where scatter, which has no sign, is what makes stretches differ.
        var factorStepScatter = 3.0
        /// Doppler falls this much shorter for each meter that accuracy is worse than usual when
        /// good: the receiver's own filter leans on its past then.
        var shortfallPerMeter = 0.15
        /// Usual: this many times the best.
        var usualFactor = 1.4
        var shortfallMetersMax = 2.5
        /// Share of a stretch by which it may be longer or shorter to make good what came before.
        var makingGoodMax = 0.02
        /// Square of the end-to-end way per way of a stretch whose direction can be told.
        var straightnessMin = 0.25
        /// Share of Doppler where the path is the longer one, and where it is the shorter one.
        var dopplerShareAbove = 0.6
        var dopplerShareBelow = 0.5
        /// Scatter that lengthens steps by more than this share makes the path a bad witness …
        var excessTrusted = 0.015
        /// … and by this much more, none: Doppler counts nearly alone and learns nothing from it.
        var excessRange = 0.02
        var dopplerShareMax = 0.97
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
    private var factorSum: Double
    private var factorWeight: Double
    /// Doppler distance that counted in all stretches, and what it was credited with.
    private var dopplerTaken = 0.0
    private var dopplerCredited = 0.0
    private var lastSpeed: Double?
    /// Share by which scatter lengthens steps, smoothed.
    private(set) var excess = 0.0

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
        factorSum = parameters.factorPrior * parameters.factorPriorWeight
        factorWeight = parameters.factorPriorWeight
    }

    /// True distance per Doppler distance, as far as learned.
    var factor: Double { factorSum / factorWeight }

    var meters: Double { committedMeters + stretchMeters }

    /// Deviation of ``factor`` that is left, as a share: the prior's spread, shrinking as it learns.
    var factorError: Double {
        parameters.factorSpread * (parameters.factorPriorWeight / factorWeight).squareRoot()
    }

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
            bestAccuracy = min(accuracy, (bestAccuracy ?? accuracy) + 0.001)
            lastSpeed = speed
        } else {
            hasDoppler = false
            lastSpeed = nil
        }
        noteDirection(step)
        guard seconds >= parameters.stretchSeconds, fixes >= parameters.stretchFixes else { return }
        learn(at: step.to)
        close()
    }

    /// Adds meters that were measured in another way.
    mutating func credit(_ meters: Double) {
        close()
        committedMeters += meters
    }

    /// Ends the stretch, as at a pause or a hole.
    mutating func close() {
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
        let from = step.previous
        displacement += Geodesy.offset(
            of: (step.location.latitude, step.location.longitude),
            from: (from.latitude, from.longitude))
        guard let speed = step.location.speed, let course = step.location.course else {
            hasCourse = false
            lastVelocity = nil
            return
        }
        let angle = course * Double.pi / 180
        let velocity = speed * SIMD2(sin(angle), cos(angle))
        // Along the mean direction of both ends, as long as both speeds say: noise of the course
        // must not shorten the way.
        let sum = velocity + (lastVelocity ?? velocity)
        let size = (sum * sum).sum().squareRoot()
        if size > 0 {
            let before = (lastVelocity ?? velocity)
            let speeds = speed + (before * before).sum().squareRoot()
            travel += sum / size * (speeds / 2 * step.seconds)
        }
        lastVelocity = velocity
    }

    /// True distance per Doppler distance as this stretch shows it. Where courses are known, the
    /// way from its first to its last position is projected on the way that Doppler made: scatter
    /// lengthens a path but not, in the mean, a projection. `nil`: too crooked to tell.
    private var stretchRatio: Double? {
        guard hasCourse else { return path / doppler }
        let square = (travel * travel).sum()
        guard square > parameters.straightnessMin * doppler * doppler else { return nil }
        return (displacement * travel).sum() / square
    }

    /// Takes the stretch over, and makes good what earlier ones got by a factor known less well.
    private mutating func commit() {
        let meters = stretchMeters
        committedMeters += meters
        guard hasDoppler, hasCourse, path > 0 else { return }
        let share =
            path > (factor + shortfall) * doppler
            ? share(parameters.dopplerShareAbove) : share(parameters.dopplerShareBelow)
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
            return blend(bounded, expected, share(parameters.dopplerShareAbove))
        }
        let pullMax = parameters.pullMax + discredit * parameters.pullMaxDiscredited
        let pulled = min(expected, pullMax * path)
        return blend(path, pulled, share(parameters.dopplerShareBelow))
    }

    /// 0…1: how far scatter discredits the path.
    private var discredit: Double {
        min(max((excess - parameters.excessTrusted) / parameters.excessRange, 0), 1)
    }

    private func share(_ usual: Double) -> Double {
        usual + discredit * (parameters.dopplerShareMax - usual)
    }

    /// Weighted geometric mean: errors of both are shares of the distance.
    private func blend(_ path: Double, _ doppler: Double, _ share: Double) -> Double {
        guard path > 0, doppler > 0 else { return min(path, doppler) }
        return exp((1 - share) * log(path) + share * log(doppler))
    }

    private mutating func learn(at time: Timestamp) {
        if let settlesUntil, time > settlesUntil { self.settlesUntil = nil }
        guard hasDoppler, !isSettling, doppler > 10, let ratio = stretchRatio else { return }
        guard shortfall == 0 else { return }
        let surprise = ratio - factor
        let limit = parameters.factorStepMax * (1 + parameters.factorStepScatter * discredit)
        factorSum += factor + min(max(surprise, -limit), limit)
        factorWeight += 1
    }
}
