import Glibc

/// Amplitudes by frequency of one window: of the length of acceleration, which turning the
/// sensor does not change, and of the three axes together, whose sum of powers it does not change.
///
/// Both are relative to the window's own amplitude, about 1 for a pure tone.
struct GaitSpectrum: Sendable {
    static let bins = 257
    /// Bins a step/min.
    static let binsPerStepRate =
        Float(FourierTransform.points) / Float(CadenceTuning.cellsPerSecond) / 60

    /// One bin more than there are, so that a reader may always look at the next.
    private(set) var length = [Float](repeating: 0, count: bins + 1)
    private(set) var axes = [Float](repeating: 0, count: bins + 1)
    /// Amplitude (root mean square) of the length, g.
    private(set) var amplitude: Float = 0
    /// The same of the three axes together.
    private(set) var axesAmplitude: Float = 0
    private var cells = 0

    /// - Parameters:
    ///   - window: Holds at least `cells`.
    ///   - cells: The newest so many are analysed.
    mutating func analyse(_ window: borrowing MotionWindow, cells: Int) {
        self.cells = cells
        let taper = WindowTaper.of(cells: cells)
        let weights = taper.weights
        var transform = FourierTransform()
        var mean = SIMD4<Float>.zero
        var centre: Float = 0
        for index in 0..<cells {
            mean += window.cell(back: cells - index) * weights[index]
            centre += Float(index) * weights[index]
        }
        var slope = SIMD4<Float>.zero
        var spread: Float = 0
        for index in 0..<cells {
            let lever = Float(index) - centre
            slope += (window.cell(back: cells - index) - mean) * (weights[index] * lever)
            spread += weights[index] * lever * lever
        }
        slope /= max(spread, 1e-6)
        var variance = SIMD4<Float>.zero
        for index in 0..<cells {
            let lever = Float(index) - centre
            let value = window.cell(back: cells - index) - mean - slope * lever
            variance += value * value * weights[index]
            transform.set(value * weights[index], at: index)
        }
        transform.run(length: &length, axes: &axes)
        // 1e-4 g² keeps the noise of a resting sensor from looking like a tone.
        let lengthVariance = variance.w + 1e-4
        let axesVariance = variance.x + variance.y + variance.z + 1e-4
        for bin in 0..<Self.bins {
            length[bin] = (2 * length[bin] / lengthVariance).squareRoot()
            axes[bin] = (2 * axes[bin] / axesVariance).squareRoot()
        }
        amplitude = lengthVariance.squareRoot()
        axesAmplitude = axesVariance.squareRoot()
    }

    /// Correlation of the window with itself one stride earlier, the better of length and axes,
    /// corrected for the taper (Boersma, IFA Proceedings 17, 1993); 0 where it cannot be told.
    func periodicity(stepsPerMinute: Float) -> Float {
        let delay = 120 / stepsPerMinute * Float(CadenceTuning.cellsPerSecond)
        guard delay <= 0.6 * Float(cells) else { return 0 }
        let angle = 2 * Double.pi * Double(delay) / Double(FourierTransform.points)
        let turnCosine = Float(cos(angle))
        let turnSine = Float(sin(angle))
        var cosine: Float = 1
        var sine: Float = 0
        var lengthSum: Float = 0
        var lengthTotal: Float = 1e-9
        var axesSum: Float = 0
        var axesTotal: Float = 1e-9
        for bin in 0..<Self.bins {
            let weight: Float = bin == 0 || bin == 256 ? 1 : 2
            let lengthPower = weight * length[bin] * length[bin]
            let axesPower = weight * axes[bin] * axes[bin]
            lengthSum += lengthPower * cosine
            axesSum += axesPower * cosine
            lengthTotal += lengthPower
            axesTotal += axesPower
            (cosine, sine) = (
                cosine * turnCosine - sine * turnSine, sine * turnCosine + cosine * turnSine
            )
        }
        let left = max(0.05, WindowTaper.of(cells: cells).correlation(atCells: delay))
        return max(lengthSum / lengthTotal, axesSum / axesTotal) / left
    }
}
