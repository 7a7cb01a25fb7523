import Glibc

/// Distinguishes a walk from other rhythms: arms that curl, brush, stir or swim repeat too.
///
///     log odds of one window = bias + Σ weight · feature
///     sum                    = 0.9 · sum before + log odds, every hop of 0.4 s in motion
///
/// The proof begins at a sum of 8 and ends below −6. Decision 0062 names the recordings from which
/// the weights were learned, and the error when each recording is left out.
struct WalkEvidence: Sendable {
    /// Seconds before a proof whose steps it counts.
    static let creditSecondsMax = 30.0
    /// Minimum log odds of a window while the position moves like a walker's. Windows over 6 s make
    /// a proof; one scattered fix does not.
    static let movingLogOdds: Float = 1

    /// Share of the sum that remains after a hop: half of the sum decays in 2.6 s.
    private static let leak: Float = 0.9
    /// Maximum contribution of one window, in either direction.
    private static let windowMax: Float = 4
    private static let sumRange: ClosedRange<Float> = -10...20
    private static let toProve: Float = 8
    private static let toDoubt: Float = -6

    private var sum: Float = 0
    private(set) var isProven = false

    mutating func restart() {
        sum = 0
        isProven = false
    }

    /// - Parameters:
    ///   - logOdds: Log odds of the newest window; `nil` where every rhythm counts as a walk.
    ///   - counts: Whether the window holds enough motion to be evidence.
    mutating func observe(_ logOdds: Float?, counts: Bool) {
        guard let logOdds else {
            sum = Self.sumRange.upperBound
            isProven = true
            return
        }
        sum *= Self.leak
        if counts {
            let said = min(Self.windowMax, max(-Self.windowMax, logOdds))
            sum = min(Self.sumRange.upperBound, max(Self.sumRange.lowerBound, sum + said))
        }
        if sum < Self.toDoubt { isProven = false }
    }

    mutating func proveIfEnough() {
        if sum >= Self.toProve { isProven = true }
    }

    mutating func forgetProof() {
        isProven = false
    }
}

/// The evidence of one window: the natural logarithm of the odds of a walk against another rhythm.
extension WalkEvidence {
    /// Weights of a logistic regression over recorded walks, runs, exercises, daily tasks and
    /// swimming. Decision 0062 has the range of each weight with one recording left out.
    private enum Weight {
        static let bias: Float = -9.81
        static let between: Float = -0.766
        static let repeats: Float = 2.56
        static let slow: Float = -0.389
        static let mass: Float = 11.46
        static let fifthHalf: Float = 0.859
        static let half: Float = 0.62
        static let lengthShare: Float = 2.02
        static let excess: Float = -0.782
        static let highShare: Float = -0.576
        static let impacts: Float = 0.914
    }

    /// Keeps the logarithm of an absent share finite.
    private static let shareFloor: Float = 0.003
    /// Logarithm of the amplitude above which fast motion counts as impacts: 0.1 g.
    private static let impactFloor: Float = -2.3

    /// Computes the log odds of one window.
    ///
    /// - Parameters:
    ///   - spectrum: Spectrum of the window, of a sensor with gravity.
    ///   - stepsPerMinute: Cadence whose steps are looked for.
    ///   - mass: Probability of that cadence.
    /// - Returns: The logarithm of the odds; 0 is undecided.
    static func logOdds(
        of spectrum: borrowing GaitSpectrum, stepsPerMinute: Float, mass: Float
    ) -> Float {
        let powers = Powers(of: spectrum, stepsPerMinute: stepsPerMinute)
        let repeats = spectrum.autocorrelation(seconds: 60 / stepsPerMinute).length
        let amplitude = logf(spectrum.amplitude)
        let axesAmplitude = logf(spectrum.axesAmplitude)
        let excess = amplitude - GaitEvidence.usualAmplitude(stepsPerMinute: stepsPerMinute)
        let highShare = logf(powers.high + shareFloor)
        let impacts = max(0, axesAmplitude + 0.5 * highShare - impactFloor)
        var sum = Weight.bias + Weight.mass * mass
        sum += Weight.between * logf(powers.between + shareFloor)
        sum += Weight.repeats * min(1.2, max(-1, repeats))
        sum += Weight.slow * logf(powers.slow + shareFloor)
        sum += Weight.fifthHalf * logf(powers.fifthHalf + shareFloor)
        sum += Weight.half * logf(powers.half + shareFloor)
        sum += Weight.lengthShare * (amplitude - axesAmplitude)
        sum += Weight.excess * min(2, max(-2, excess))
        return sum + Weight.highShare * highShare + Weight.impacts * impacts
    }

    /// Powers of a window at and between the multiples of half the step rate.
    private struct Powers {
        /// Power of the length between these multiples, divided by the power at them.
        let between: Float
        /// Shares of the axes' power below 0.35 and above 1.7 of the step rate.
        let slow: Float
        let high: Float
        /// Powers of the axes at 0.5 and 2.5 times the step rate; 1 is a pure tone.
        let half: Float
        let fifthHalf: Float

        init(of spectrum: borrowing GaitSpectrum, stepsPerMinute: Float) {
            let length = spectrum.length
            let axes = spectrum.axes
            let step = stepsPerMinute * GaitSpectrum.binsPerStepRate
            func bin(_ multiple: Float) -> Int {
                min(GaitSpectrum.bins - 1, Int((multiple * step).rounded()))
            }
            var off: Float = 0
            var on: Float = 1e-6
            for index in 0..<6 {
                let at = length[bin(0.5 * Float(index + 1))]
                on += at * at
                guard index < 5 else { break }
                let beside = length[bin(0.25 + 0.5 * Float(index))]
                off += beside * beside
            }
            between = off / on
            var slow: Float = 0
            var high: Float = 0
            var all: Float = 1e-9
            let slowEnd = Int(0.35 * step)
            let highStart = bin(1.7)
            for index in 0..<GaitSpectrum.bins {
                let power = axes[index] * axes[index]
                all += power
                if index < slowEnd { slow += power }
                if index >= highStart { high += power }
            }
            self.slow = slow / all
            self.high = high / all
            half = axes[bin(0.5)] * axes[bin(0.5)]
            fifthHalf = axes[bin(2.5)] * axes[bin(2.5)]
        }
    }
}
