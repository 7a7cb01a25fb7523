import Glibc

/// The evidence of one spectrum for each cadence, as a logarithm up to a constant.
///
/// Walking shakes a wrist at the step rate and its multiples, and swings it at half of them. The
/// strongest of these varies with person, place and speed, so no single peak is the cadence. So all
/// harmonics are weighted together (a harmonic sum, Noll, 1969, with separate weights for steps and
/// strides). The power between them and the usual cadences at this amplitude count too.
struct GaitEvidence: Sendable {
    static let bins = 96
    static let lowest: Float = 45
    static let highest: Float = 250
    /// Difference of the logarithm between two adjacent bins: 1.8 %.
    static let binWidth = Float(log(Double(250.0 / 45.0))) / Float(bins - 1)
    static let stepsPerMinute: [Float] = (0..<bins).map { lowest * expf(Float($0) * binWidth) }
    /// Centers of the broad regions of usual cadence, steps/min.
    static let regionCenters: [Float] = [55, 80, 110, 150, 190, 230]

    /// Multiples of the step rate at which spectra are read.
    private static let multiples: [Float] = [0.5, 1, 1.5, 2, 3, 0.25, 0.75]
    private static let places: [Float] = stepsPerMinute.flatMap { cadence in
        multiples.map { $0 * cadence * GaitSpectrum.binsPerStepRate }
    }
    private static let regionShares: [Float] = stepsPerMinute.flatMap { cadence in
        regionCenters.map { center in
            let distance = logf(cadence / center) / 0.2
            return expf(-0.5 * distance * distance)
        }
    }

    private(set) var logarithms = [Float](repeating: 0, count: bins)

    /// Other known values at the time of a spectrum.
    struct Circumstances: Sendable {
        /// m/s; `nil` when unknown.
        var speed: Double?
        /// Amplitude, g; `nil` if the usual amplitudes do not apply, for example at an ankle.
        var amplitude: Float?
    }

    mutating func weigh(
        _ spectrum: GaitSpectrum, by weights: GaitWeights, in circumstances: Circumstances,
        tuning: CadenceTuning
    ) {
        let places = Self.places
        let shares = Self.regionShares
        let harmonics = weights.harmonics
        let lengths = spectrum.length
        let axes = spectrum.axes
        let amplitude = logf(spectrum.amplitude)
        var regions = InlineArray<6, Float>(repeating: 0)
        for index in 0..<6 {
            regions[index] = weights.regions[index] + weights.regionSlopes[index] * amplitude
        }
        for bin in 0..<Self.bins {
            var sum: Float = 0
            for multiple in 0..<7 {
                let place = places[bin * 7 + multiple]
                guard place <= 256 else { continue }
                let low = Int(place)
                let part = place - Float(low)
                let length =
                    spectrum.length[low]
                    + (lengths[low + 1] - lengths[low]) * part
                let swing = axes[low] + (axes[low + 1] - axes[low]) * part
                switch multiple {
                case 0...3: sum += harmonics[multiple] * length + harmonics[multiple + 5] * swing
                case 4: sum += harmonics[4] * length
                default: sum += harmonics[multiple + 4] * length + harmonics[multiple + 6] * swing
                }
            }
            for index in 0..<6 { sum += regions[index] * shares[bin * 6 + index] }
            logarithms[bin] = sum
        }
        if let speed = circumstances.speed { weighSpeed(Float(speed)) }
        if let amplitude = circumstances.amplitude {
            weighAmplitude(amplitude, spread: tuning.amplitudeSpread)
        }
        let best = logarithms.max() ?? 0
        for bin in 0..<Self.bins { logarithms[bin] -= best }
    }

    /// Weighs the amplitude. It grows with the square of a walk's cadence, as for any motion of
    /// constant shape, and is three times as large in a run. This separates slow steps from the
    /// swing of an arm at twice their cadence.
    private mutating func weighAmplitude(_ amplitude: Float, spread: Float) {
        let logarithm = logf(amplitude)
        for bin in 0..<Self.bins {
            let distance = (logarithm - Self.usualAmplitudes[bin]) / spread
            logarithms[bin] -= min(6, 0.5 * distance * distance)
        }
    }

    /// Logarithms of the usual amplitudes, g.
    private static let usualAmplitudes: [Float] = stepsPerMinute.map(
        usualAmplitude(stepsPerMinute:))

    /// Logarithm of the usual amplitude at a cadence, g.
    static func usualAmplitude(stepsPerMinute cadence: Float) -> Float {
        let walk = 0.24 * (cadence / 110) * (cadence / 110)
        let run = 0.65 * cadence / 160
        let isRun = min(1, max(0, (cadence - 130) / 15))
        return logf(walk + (run - walk) * isRun)
    }

    /// Weighs the speed loosely: enough to decide an octave, not to set a value. (Walking: Grieve
    /// and Gear, Ergonomics 9, 1966, cadence grows with the root of speed; running: Cavanagh and
    /// Kram, 1989, it hardly grows.)
    private mutating func weighSpeed(_ speed: Float) {
        guard speed > 0.5, speed < 8 else { return }
        let usual = speed < 2.1 ? 100 * sqrtf(speed / 1.2) : 158 * powf(speed / 2.5, 0.17)
        for bin in 0..<Self.bins {
            let distance = logf(Self.stepsPerMinute[bin] / usual) / 0.28
            logarithms[bin] -= min(4, 0.5 * distance * distance)
        }
    }

    /// The advantage of the best cadence 5 to 30 % away over the given one. A quick check cannot
    /// decide an octave, so larger differences do not count.
    func advantage(over stepsPerMinute: Float) -> Float {
        let here = Int((logf(stepsPerMinute / Self.lowest) / Self.binWidth).rounded())
        guard here >= 0, here < Self.bins else { return 0 }
        var best = -Float.infinity
        for distance in 3...15 {
            if here >= distance { best = max(best, logarithms[here - distance]) }
            if here + distance < Self.bins { best = max(best, logarithms[here + distance]) }
        }
        return best - logarithms[here]
    }
}
