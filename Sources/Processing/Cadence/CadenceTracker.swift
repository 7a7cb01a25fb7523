import Glibc

/// Tracks the cadence as a probability for each bin: a hidden Markov model whose state is the
/// cadence, forward only (Rabiner, Proceedings of the IEEE 77, 1989).
///
///     posterior ∝ (previous posterior after drift and rare jumps) × evidence^weight
///
/// Continuity decides the octave if one window cannot. A change of power probably means a new gait,
/// so a jump becomes likely. Growing windows are not independent. While the new window grows, each
/// estimate therefore starts again from the posterior before the change.
struct CadenceTracker: Sendable {
    private static let bins = GaitEvidence.bins

    private var posterior = [Float](repeating: 1 / Float(bins), count: bins)
    private var beforeChange = [Float](repeating: 0, count: bins)
    private var isFresh = false
    /// The five newest estimates, 2 s, and their variation: a running mean of squares.
    private var recent = SIMD8<Float>(repeating: 0)
    private var movement: Float = 0
    private let drift: [Float]
    private let driftAtChange: [Float]
    private let tuning: CadenceTuning

    private(set) var stepsPerMinute: Float = 100
    /// Probability within 7 % of the estimate.
    private(set) var mass: Float = 0
    /// Half width of the 95 % interval around the estimate, steps/min.
    private(set) var uncertainty: Float = 0

    init(tuning: CadenceTuning) {
        self.tuning = tuning
        drift = Self.kernel(spread: tuning.driftPerHop)
        driftAtChange = Self.kernel(spread: tuning.driftAtChange)
    }

    /// Returns the weights of a Gaussian kernel, from the center outwards.
    private static func kernel(spread: Float) -> [Float] {
        let reach = Int((3.5 * spread / GaitEvidence.binWidth).rounded(.up))
        let raw = (0...reach).map { index in
            let distance = Float(index) * GaitEvidence.binWidth / spread
            return expf(-0.5 * distance * distance)
        }
        let total = raw[0] + 2 * raw.dropFirst().reduce(0, +)
        return raw.map { $0 / total }
    }

    mutating func restart() {
        for bin in 0..<Self.bins { posterior[bin] = 1 / Float(Self.bins) }
        isFresh = false
        mass = 0
    }

    /// Reduces the earlier posterior to a weak prior, since the power has changed.
    mutating func change() {
        Self.spread(
            posterior, by: driftAtChange, jump: tuning.jumpAtChange, into: &beforeChange)
        isFresh = true
    }

    /// - Parameters:
    ///   - evidence: Evidence of the newest window.
    ///   - isShort: Whether the window is fresh and still grows.
    mutating func follow(_ evidence: GaitEvidence, isShort: Bool) {
        if !isShort || !isFresh {
            isFresh = false
            Self.spread(posterior, by: drift, jump: tuning.jumpPerHop, into: &beforeChange)
        }
        let weight = isFresh ? tuning.freshWeight : tuning.windowWeight
        var total: Float = 0
        for bin in 0..<Self.bins {
            let value = beforeChange[bin] * expf(weight * evidence.logarithms[bin])
            posterior[bin] = value
            total += value
        }
        let scale = 1 / max(total, 1e-30)
        for bin in 0..<Self.bins { posterior[bin] *= scale }
        estimate()
    }

    private static func spread(
        _ old: [Float], by kernel: [Float], jump: Float, into new: inout [Float]
    ) {
        let even = jump / Float(bins)
        for bin in 0..<bins {
            var sum = old[bin] * kernel[0]
            for reach in 1..<kernel.count {
                if bin >= reach { sum += old[bin - reach] * kernel[reach] }
                if bin + reach < bins { sum += old[bin + reach] * kernel[reach] }
            }
            new[bin] = (1 - jump) * sum + even
        }
    }

    /// Finds the peak between bins, by a parabola through the logarithms, and its sharpness.
    private mutating func estimate() {
        var best = 0
        for bin in 1..<Self.bins where posterior[bin] > posterior[best] { best = bin }
        var place = Float(best)
        if best > 0, best < Self.bins - 1 {
            let below = logf(posterior[best - 1] + 1e-30)
            let peak = logf(posterior[best] + 1e-30)
            let above = logf(posterior[best + 1] + 1e-30)
            let bend = below - 2 * peak + above
            if bend < 0 { place += min(0.5, max(-0.5, 0.5 * (below - above) / bend)) }
        }
        stepsPerMinute = GaitEvidence.lowest * expf(place * GaitEvidence.binWidth)
        var near: Float = 0
        var moment: Float = 0
        for bin in max(0, best - 4)...min(Self.bins - 1, best + 4) {
            let distance = Float(bin) - place
            near += posterior[bin]
            moment += posterior[bin] * distance * distance
        }
        mass = near
        noteMovement()
        let deviation = (moment / max(near, 1e-9)).squareRoot() * GaitEvidence.binWidth
        let width = tuning.widthShare * deviation * stepsPerMinute
        uncertainty = 1.96 * (width * width + tuning.movementShare * movement).squareRoot()
    }

    private mutating func noteMovement() {
        let moved = recent[4] > 0 ? min(15, abs(stepsPerMinute - recent[4])) : 5
        movement += 0.15 * (moved * moved - movement)
        for index in stride(from: 4, to: 0, by: -1) { recent[index] = recent[index - 1] }
        recent[0] = stepsPerMinute
    }
}
