import Glibc

/// Tells a walk from another rhythm: arms that curl, brush, stir or swim repeat themselves, too.
///
///     log odds of one window = bias + Σ weight · feature
///     sum                    = 0.9 · sum before + log odds, every hop of 0.4 s in motion
///
/// The proof begins at a sum of 8 and ends below −6. Decision 0062 has the recordings that the
/// weights were learned on, and what each recording left out costs.
struct WalkEvidence: Sendable {
    /// A proof counts the steps of these seconds before it.
    static let creditSecondsMax = 30.0
    /// Least log odds of a window while the position moves on like a walker: 6 s of it are a proof,
    /// one scattered fix is none.
    static let movingLogOdds: Float = 1

    /// Share of the sum that remains after a hop: half of it goes in 2.6 s.
    private static let leak: Float = 0.9
    /// Most that one window says.
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
    ///   - logOdds: Of the newest window; `nil`: every rhythm is a walk.
    ///   - counts: Whether the window holds enough motion to say something.
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

/// What one window says, as the natural logarithm of the odds of a walk against another rhythm.
extension WalkEvidence {
    /// Weights of a logistic regression over recorded walks, runs, exercises, daily tasks and
    /// swimming. Decision 0062 has the range of each with one recording left out.
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

    /// Weighs a window.
    ///
    /// - Parameters:
    ///   - spectrum: Spectrum of the window, of a sensor with gravity.
    ///   - stepsPerMinute: Cadence to ask about.
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
        /// Of the length: between these multiples, over that at them.
        let between: Float
        /// Of the axes: shares below 0.35 and above 1.7 of the step rate.
        let slow: Float
        let high: Float
        /// Of the axes, at 0.5 and 2.5 times the step rate; 1 is a pure tone.
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
