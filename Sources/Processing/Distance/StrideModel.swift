import SensorModel

/// Predicts meters a step from cadence: a line, scaled by a factor learned from positions.
///
/// Before any calibration the line is the reference's leg-length model for a leg of 0.9 m: 0.9 ×
/// (1.05 + (cadence − 130) × 0.004) m. The factor accounts for taller or shorter wearers. It is
/// learned from every stretch that positions measure well.
struct StrideModel: Sendable {
    struct Parameters: Sendable {
        var legMeters = 0.9
        /// Minimum steps of a stretch for learning (reference: calibration needs 20).
        var stepsMin = 20.0
        /// Range of the factor. Outside it either the steps or the meters are wrong.
        var factorRange = 0.5...1.7
        /// Weight of a new stretch after the first ones.
        var gain = 0.15
        /// Stretches until the factor counts as learned.
        var stretchesMin = 2
    }

    let parameters: Parameters
    /// The owner's own line, used unchanged until the factor is learned from positions.
    var calibration: StrideCalibration?
    private(set) var factor = 1.0
    private var stretches = 0

    init(calibration: StrideCalibration?, parameters: Parameters = Parameters()) {
        self.calibration = calibration
        self.parameters = parameters
    }

    var isLearned: Bool { stretches >= parameters.stretchesMin }

    /// Half width of the 95 % interval of a stride, as a share of it.
    var uncertainty: Double { isLearned ? 0.06 : calibration == nil ? 0.25 : 0.1 }

    private func line(_ cadence: Double) -> Double {
        if let calibration {
            return max(calibration.slope * cadence + calibration.intercept, 0.1)
        }
        return parameters.legMeters * (1.05 + (cadence - 130) * 0.004)
    }

    func metersPerStep(cadence: Double) -> Double {
        line(min(max(cadence, 60), 220)) * factor
    }

    /// Learns from a stretch measured by positions.
    mutating func learn(meters: Double, steps: Double, cadence: Double) {
        guard steps >= parameters.stepsMin, meters > 5 else { return }
        let ratio = meters / steps / line(min(max(cadence, 60), 220))
        guard parameters.factorRange.contains(ratio) else { return }
        stretches += 1
        let gain = max(parameters.gain, 1 / Double(stretches))
        factor += gain * (ratio - factor)
    }
}
