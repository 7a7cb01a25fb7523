/// What of a spectrum's form tells steps from other motion that repeats itself.
struct GaitShape: Sendable {
    /// Share of the power at half, one and one and a half times the step rate, of length or axes.
    /// Steps have most of theirs there; tremor, faster than any step, has none.
    let gaitShare: Float
    /// Share of the power well below half the step rate, where steps have nothing
    /// and an arm that reaches and points has much.
    let slowShare: Float
    /// Power at three times the step rate over the strongest of a half, one and two: blows, such
    /// as claps, have the same at every multiple; a wrist softens a runner's steps.
    let bluntness: Float

    /// `includesGravity`: then the length is what the feet do; without it, it doubles every beat,
    /// and the axes are asked.
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
