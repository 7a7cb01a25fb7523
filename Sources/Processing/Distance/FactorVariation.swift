import Glibc

/// Measures the variation of the Doppler factor from minute to minute.
///
/// The factor of the whole path still has an error in each minute: receivers report a lower speed
/// after turns and under trees. Each minute's path by positions is compared with the Doppler path
/// times the factor. The mean square of the differences, minus the part from the positions at both
/// ends, is the factor's variance over a minute. Over n independent minutes it is an n-th of that.
struct FactorVariation: Sendable {
    struct Parameters: Sendable {
        /// Duration of a comparison in seconds, and its minimum distance in meters.
        var minuteSeconds = 60.0
        var minuteMetersMin = 20.0
        /// Largest difference, as a logarithm; beyond it one of the two paths is wrong.
        var differenceMax = 0.2
        /// Error of both ends of a minute together, one standard deviation, in units of the
        /// reported accuracy.
        var endsShare = 1.0
    }

    let parameters: Parameters
    private var path = 0.0
    private var doppler = 0.0
    private var seconds = 0.0
    /// Integral of the reported accuracy, meters × seconds.
    private var accuracySeconds = 0.0
    private var minutes = 0.0
    private var squares = 0.0

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    /// Relative error of the whole path from the variation, one standard deviation.
    var share: Double { minutes > 0 ? max(0, squares).squareRoot() / minutes : 0 }

    /// - Parameters:
    ///   - path: A stretch by positions, meters.
    ///   - doppler: The same by Doppler speed, meters.
    ///   - seconds: Duration of the stretch.
    ///   - accuracy: Reported accuracy, meters.
    ///   - factor: The Doppler factor learned so far.
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

    /// Drops the unfinished minute.
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
