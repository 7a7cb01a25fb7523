/// Features of a spectrum that separate steps from other periodic motion.
struct GaitShape: Sendable {
    /// Share of the power at 0.5, 1 and 1.5 times the step rate: the larger one of length and axes.
    /// Steps have most of their power there. Tremor, faster than any step, has none.
    let gaitShare: Float
    /// Share of the power well below half the step rate. Steps have none there; an arm that reaches
    /// and points has much.
    let slowShare: Float
    /// Power at three times the step rate over the strongest power at 0.5, 1 and 2 times. Impacts
    /// such as claps have equal power at every multiple; a wrist dampens a runner's steps.
    let bluntness: Float

    /// Computes the features. With gravity they use the length, which the feet drive. Without
    /// gravity every beat appears twice in the length, so they use the axes.
    init(of spectrum: GaitSpectrum, stepsPerMinute: Float, includesGravity: Bool) {
        let step = stepsPerMinute * GaitSpectrum.binsPerStepRate
        let length = spectrum.length
        let axes = spectrum.axes
        let asked = includesGravity ? length : axes
        func bin(_ multiple: Float) -> Int {
            min(GaitSpectrum.bins - 1, Int((multiple * step).rounded()))
        }
        func square(_ value: Float) -> Float { value * value }
        var lengthSum: Float = 0
        var axesSum: Float = 0
        for multiple in 1...3 {
            let place = bin(0.5 * Float(multiple))
            lengthSum += square(length[place])
            axesSum += square(axes[place])
        }
        gaitShare = max(lengthSum, axesSum) / 2
        let edge = Int(0.35 * step)
        var slow: Float = 0
        var all: Float = 1e-9
        for index in 0..<GaitSpectrum.bins {
            let power = square(asked[index])
            all += power
            if index < edge { slow += power }
        }
        slowShare = slow / all
        let strongest = max(asked[bin(0.5)], max(asked[bin(1)], asked[bin(2)]))
        bluntness = square(asked[bin(3)]) / max(square(strongest), 1e-9)
    }
}
