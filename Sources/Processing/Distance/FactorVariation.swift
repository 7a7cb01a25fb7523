import Glibc

/// How far Doppler's factor differs from one minute to the next.
///
/// A factor known for the whole way still misses each minute of it by its own error: receivers
/// hold speed back more after turns and under trees. Each minute's way by positions is compared
/// with the way that Doppler and its factor make; the mean square of what they differ by, less
/// what the positions at its two ends explain, is the factor's variance over a minute. Independent
/// minutes add up to its n-th part over n of them.
struct FactorVariation: Sendable {
    struct Parameters: Sendable {
        /// A minute is held against the path when it is of so many meters.
        var minuteSeconds = 60.0
        var minuteMetersMin = 20.0
        /// What differs by more, as a logarithm, is no variation but one of both gone wrong.
        var differenceMax = 0.2
        /// Error of a minute's two ends together, one standard deviation, in units of the accuracy
        /// that the receiver claims.
        var endsShare = 1.0
    }

    let parameters: Parameters
    private var path = 0.0
    private var doppler = 0.0
    private var seconds = 0.0
    /// Integral of the accuracy, meters × seconds.
    private var accuracySeconds = 0.0
    private var minutes = 0.0
    private var squares = 0.0

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    /// Share of the whole way that is left unknown by it, one standard deviation.
    var share: Double { minutes > 0 ? max(0, squares).squareRoot() / minutes : 0 }

    /// - Parameters:
    ///   - path: A stretch by positions, meters.
    ///   - doppler: The same by Doppler speed, meters.
    ///   - seconds: Of the stretch.
    ///   - accuracy: That the receiver claims, meters.
    ///   - factor: What Doppler falls short by, as far as known.
    mutating func note(
        path: Double, doppler: Double, seconds: Double, accuracy: Double, factor: Double
    ) {
        self.path += path
        self.doppler += doppler
        self.seconds += seconds
        accuracySeconds += accuracy * seconds
        guard self.seconds >= parameters.minuteSeconds else { return }
        closeMinute(factor: factor)
        beginAfresh()
    }

    /// The minute so far says nothing.
    mutating func beginAfresh() {
        path = 0
        doppler = 0
        seconds = 0
        accuracySeconds = 0
    }

    private mutating func closeMinute(factor: Double) {
        let expected = factor * doppler
        guard expected > parameters.minuteMetersMin, path > 0 else { return }
        let difference = min(abs(log(path / expected)), parameters.differenceMax)
        let ends = parameters.endsShare * accuracySeconds / seconds / expected
        minutes += 1
        squares += difference * difference - ends * ends
    }
}
