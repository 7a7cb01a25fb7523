import Glibc

/// The ratio of the true path to the Doppler path, learned during the session.
///
/// Speed and course make a track by dead reckoning. The filter fits the whole track to the
/// positions, by rotation and scale. East and north are one complex number:
///
///     position = factor × reckoned + lost + error
///     factor   its size scales the track, its angle rotates it
///     lost     the loss of dead reckoning so far: a random walk
///     error    the receiver's error: it drifts, with a memory of a minute
///
/// The model is a Kalman filter (Kalman, "A New Approach to Linear Filtering and Prediction
/// Problems", 1960) whose state is these three; `error` is a Gauss-Markov process of first order. A
/// rotation of the map does not change the knowledge, so both axes have one covariance. Covariances
/// between two parts of the state are complex.
///
/// A fit of separate blocks would be worse. Over 20 s of walking, the error of the two ends is a
/// tenth of the distance. Over a kilometer it is the same in meters, which is some thousandths.
struct DopplerFactor: Sendable {
    /// East and north, as real and imaginary part.
    typealias Complex = SIMD2<Double>

    /// Initial variance of the position of a dead-reckoning track, m²: it may be anywhere.
    private static let unknown = 1e6

    let parameters: Parameters
    private var factor: Complex
    private var lost = Complex.zero
    private var error = Complex.zero
    // Covariances of these three for one axis: the mean of one times the conjugate of the other.
    private var factorVariance: Double
    private var lostVariance = Self.unknown
    private var errorVariance = 0.0
    private var factorLost = Complex.zero
    private var factorError = Complex.zero
    private var lostError = Complex.zero
    /// Meters east and north since the start, by position and by dead reckoning.
    private var position = Complex.zero
    private var reckoned = Complex.zero
    private var isAnchored = false
    /// Ratio of the surprises' variance to the expected one.
    private var unrest = 1.0

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
        factor = Complex(parameters.prior, 0)
        factorVariance = parameters.spread * parameters.spread
    }

    /// Meters of path for one meter of Doppler distance.
    var value: Double { factor.x }

    /// One standard deviation of ``value``.
    var deviation: Double { factorVariance.squareRoot() }

    /// - Parameters:
    ///   - displacement: Meters east and north from the first to the last position of a stretch.
    ///   - travel: The same by dead reckoning; `nil` if unknown.
    ///   - seconds: Duration of the stretch.
    ///   - accuracy: Reported accuracy, meters.
    ///   - isDoubtful: Whether Doppler is present but too low.
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

    /// Learns from a stretch without courses.
    ///
    /// - Parameter ratio: Ratio of the stretch's path to its Doppler distance.
    mutating func note(ratio: Double) {
        let variance = factorVariance + parameters.ratioDeviation * parameters.ratioDeviation
        let surprise = min(max(ratio - factor.x, -0.1), 0.1)
        factor.x += factorVariance / variance * surprise
        factorVariance -= factorVariance * factorVariance / variance
    }

    /// Restarts both tracks after a path that dead reckoning does not know.
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

    /// Performs the filter's update for `position = factor × reckoned + lost + error`.
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

    /// Adapts the process noise, so that unsteady tracks teach less. It grows with the excess of
    /// the surprises over their variance (as in Mehra, "Approaches to Adaptive Filtering", 1972). A
    /// jump is a path that dead reckoning does not know.
    private mutating func noteSurprise(_ square: Double) {
        let most = parameters.surpriseMax * parameters.surpriseMax
        let ratio = square / (2 * gains.variance)
        let bounded = min(ratio, most)
        unrest = min(max(unrest * (1 + parameters.unrestGain * (bounded - 1)), 1), 20)
        if ratio > most { lostVariance += square }
    }

    /// Covariances of the state with the surprise, and the surprise's own variance for one axis.
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
