import Glibc

/// Amplitudes by frequency of one window.
///
/// One spectrum is that of the acceleration's length, the other that of the three axes together. A
/// rotation of the sensor changes neither. Both are relative to the window's own amplitude: a pure
/// tone is about 1.
struct GaitSpectrum: Sendable {
    static let bins = 257
    /// Bins for one step/min.
    static let binsPerStepRate =
        Float(FourierTransform.points) / Float(CadenceTuning.cellsPerSecond) / 60

    /// Amplitudes by bin. An extra bin at the end lets a reader always access the next bin.
    private(set) var length = [Float](repeating: 0, count: bins + 1)
    private(set) var axes = [Float](repeating: 0, count: bins + 1)
    /// Amplitude (root mean square) of the length, g.
    private(set) var amplitude: Float = 0
    /// Amplitude of the three axes together, g.
    private(set) var axesAmplitude: Float = 0
    private var cells = 0

    /// - Parameters:
    ///   - window: A window of at least `cells`.
    ///   - cells: Number of the newest cells to analyze.
    mutating func analyze(_ window: borrowing MotionWindow, cells: Int) {
        self.cells = cells
        let taper = WindowTaper.of(cells: cells)
        let weights = taper.weights
        var transform = FourierTransform()
        var mean = SIMD4<Float>.zero
        var center: Float = 0
        for index in 0..<cells {
            mean += window.cell(back: cells - index) * weights[index]
            center += Float(index) * weights[index]
        }
        var slope = SIMD4<Float>.zero
        var spread: Float = 0
        for index in 0..<cells {
            let lever = Float(index) - center
            slope += (window.cell(back: cells - index) - mean) * (weights[index] * lever)
            spread += weights[index] * lever * lever
        }
        slope /= max(spread, 1e-6)
        var variance = SIMD4<Float>.zero
        for index in 0..<cells {
            let lever = Float(index) - center
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

    /// Autocorrelation of the window at one stride, the larger of length and axes; 0 if unknown.
    func periodicity(stepsPerMinute: Float) -> Float {
        let both = autocorrelation(seconds: 120 / stepsPerMinute)
        return max(both.length, both.axes)
    }

    /// Autocorrelation of the window at a delay, corrected for the taper (Boersma, IFA Proceedings
    /// 17, 1993); 0 if the window is too short for it.
    func autocorrelation(seconds: Float) -> (length: Float, axes: Float) {
        let delay = seconds * Float(CadenceTuning.cellsPerSecond)
        guard delay <= 0.6 * Float(cells) else { return (0, 0) }
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
        return (lengthSum / lengthTotal / left, axesSum / axesTotal / left)
    }
}
