import Glibc

/// How much longer the true way is than the one that Doppler speed makes, learned on the way.
///
/// Speed and course make a track by dead reckoning. It is laid over the positions, turned and
/// stretched, as a whole; east and north are one complex number:
///
///     position = factor × reckoned + lost + error
///     factor   its size stretches the track, its angle turns it
///     lost     what dead reckoning has lost so far: a random walk
///     error    the receiver's: it wanders, and is forgotten within a minute
///
/// A Kalman filter (Kalman, "A New Approach to Linear Filtering and Prediction Problems", 1960)
/// whose state is these three; `error` is a Gauss-Markov process of first order. Turns of the map
/// do not change what is known, so both axes have one covariance, and covariances between two
/// parts of the state are complex.
///
/// Why not block by block: the ends of 20 s of walking are off by a tenth of their distance; those
/// of a kilometer are off by the same meters, which are some thousandths.
struct DopplerFactor: Sendable {
    struct Parameters: Sendable {
        /// Before anything is learned, and the deviation of receivers from it: their filters hold
        /// Doppler speed a few percent short.
        var prior = 1.035
        var spread = 0.03
        /// Deviation of one axis per accuracy that the receiver claims, which is a radius that
        /// holds two thirds of its fixes.
        var axisShare = 0.7
        /// Seconds by which the receiver forgets its error: reflections change within a minute.
        var memorySeconds = 60.0
        /// Scatter of a single fix besides, m².
        var fixVariance = 0.25
        /// What dead reckoning loses, m² a second: 0.4 m in one, by the noise of speed and course, 3 m
        /// in a minute, by turns that a receiver's filter takes late.
        var reckoningVariance = 0.15
        /// The same as a share of the way where Doppler is not to be trusted.
        var doubtfulShare = 0.1
        /// The same where no way was reckoned, m² a second: someone who waits takes a step or two.
        var waitingVariance = 0.2
        /// Deviation of a stretch's path per Doppler distance.
        var ratioDeviation = 0.06
        /// Of a new surprise in what is taken for usual here: some minutes of stretches.
        var unrestGain = 0.05
        /// A surprise of more deviations is a leap of the receiver, which must not teach.
        var surpriseMax = 3.0
    }

    /// East and north, or real and imaginary part.
    typealias Complex = SIMD2<Double>

    /// m²: where a track begins, its place by dead reckoning is any.
    private static let unknown = 1e6

    let parameters: Parameters
    private var factor: Complex
    private var lost = Complex.zero
    private var error = Complex.zero
    // Covariances of these three, of one axis; the mean of one times the other's conjugate.
    private var factorVariance: Double
    private var lostVariance = Self.unknown
    private var errorVariance = 0.0
    private var factorLost = Complex.zero
    private var factorError = Complex.zero
    private var lostError = Complex.zero
    /// Meters east and north since the beginning, by position and by dead reckoning.
    private var position = Complex.zero
    private var reckoned = Complex.zero
    private var isAnchored = false
    /// By how much the surprises exceed what the parameters expect, as a ratio of variances.
    private var unrest = 1.0

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
        factor = Complex(parameters.prior, 0)
        factorVariance = parameters.spread * parameters.spread
    }

    /// Meters of way per meter of Doppler's.
    var value: Double { factor.x }

    /// One standard deviation of ``value``.
    var deviation: Double { factorVariance.squareRoot() }

    /// - Parameters:
    ///   - displacement: Meters east and north from the first to the last position of a stretch.
    ///   - travel: The same by dead reckoning; `nil` where it is not known.
    ///   - seconds: Of the stretch.
    ///   - accuracy: That the receiver claims, meters.
    ///   - isDoubtful: Doppler is there but falls short.
    mutating func note(
        displacement: Complex, travel: Complex?, seconds: Double, accuracy: Double,
        isDoubtful: Bool = false
    ) {
        guard seconds > 0 else { return }
        let deviation = parameters.axisShare * accuracy
        if !isAnchored {
            isAnchored = true
            errorVariance = deviation * deviation
            observe(isLearning: false)
        }
        position += displacement
        if let travel {
            reckoned += travel
            lostVariance += unrest * parameters.reckoningVariance * seconds
            if isDoubtful {
                lostVariance +=
                    parameters.doubtfulShare * parameters.doubtfulShare * (travel * travel).sum()
            }
        } else {
            lostVariance += parameters.waitingVariance * seconds
        }
        forget(seconds, deviation: deviation)
        observe()
    }

    /// What a stretch says where no course is sent.
    ///
    /// - Parameter ratio: Its path per Doppler distance.
    mutating func note(ratio: Double) {
        let variance = factorVariance + parameters.ratioDeviation * parameters.ratioDeviation
        let surprise = min(max(ratio - factor.x, -0.1), 0.1)
        factor.x += factorVariance / variance * surprise
        factorVariance -= factorVariance * factorVariance / variance
    }

    /// A way was made of which dead reckoning knows nothing: both tracks begin anew.
    mutating func loseTrack() {
        isAnchored = false
        position = .zero
        reckoned = .zero
        lost = .zero
        error = .zero
        lostVariance = Self.unknown
        factorLost = .zero
        factorError = .zero
        lostError = .zero
    }

    private mutating func forget(_ seconds: Double, deviation: Double) {
        let kept = exp(-seconds / parameters.memorySeconds)
        error *= kept
        factorError *= kept
        lostError *= kept
        errorVariance =
            kept * kept * errorVariance + unrest * (1 - kept * kept) * deviation * deviation
    }

    /// The filter's step for `position = factor × reckoned + lost + error`.
    private mutating func observe(isLearning: Bool = true) {
        let surprise = position - Self.product(factor, reckoned) - lost - error
        if isLearning { noteSurprise((surprise * surprise).sum()) }
        let gains = gains
        let scale = 1 / gains.variance
        let (gainFactor, gainLost, gainError) = (gains.factor, gains.lost, gains.error)
        factor += Self.product(gainFactor, surprise) * scale
        lost += Self.product(gainLost, surprise) * scale
        error += Self.product(gainError, surprise) * scale
        factorVariance -= (gainFactor * gainFactor).sum() * scale
        lostVariance -= (gainLost * gainLost).sum() * scale
        errorVariance -= (gainError * gainError).sum() * scale
        factorLost -= Self.product(gainFactor, Self.conjugate(gainLost)) * scale
        factorError -= Self.product(gainFactor, Self.conjugate(gainError)) * scale
        lostError -= Self.product(gainLost, Self.conjugate(gainError)) * scale
    }

    /// Restless tracks teach less: process noise grows with what surprises exceed their variance by
    /// (as in Mehra, "Approaches to Adaptive Filtering", 1972). A leap is way of which dead
    /// reckoning knows nothing.
    private mutating func noteSurprise(_ square: Double) {
        let most = parameters.surpriseMax * parameters.surpriseMax
        let ratio = square / (2 * gains.variance)
        let bounded = min(ratio, most)
        unrest = min(max(unrest * (1 + parameters.unrestGain * (bounded - 1)), 1), 20)
        if ratio > most { lostVariance += square }
    }

    /// Covariances of the state with the surprise, and the surprise's own variance of one axis.
    private var gains: (factor: Complex, lost: Complex, error: Complex, variance: Double) {
        let back = Self.conjugate(reckoned)
        let one = Complex(1, 0)
        let ofFactor = factorVariance * back + factorLost + factorError
        let ofLost =
            Self.product(Self.conjugate(factorLost), back) + lostVariance * one + lostError
        let ofError =
            Self.product(Self.conjugate(factorError), back) + Self.conjugate(lostError)
            + errorVariance * one
        let variance =
            Self.product(reckoned, ofFactor).x + ofLost.x + ofError.x + parameters.fixVariance
        return (ofFactor, ofLost, ofError, variance)
    }

    private static func conjugate(_ value: Complex) -> Complex { Complex(value.x, -value.y) }

    private static func product(_ a: Complex, _ b: Complex) -> Complex {
        Complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
    }
}
