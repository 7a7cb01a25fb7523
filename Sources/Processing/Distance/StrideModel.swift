public import SensorModel

/// Meters a step, by cadence: a line, scaled by what position teaches.
///
/// The line before any calibration is the reference's leg-length model, 0.9 m of leg:
/// 0.9 × (1.05 + (cadence − 130) × 0.004) m. Taller or shorter wearers differ by a factor, which is
/// learned from every stretch measured well by position.
struct StrideModel: Sendable {
    struct Parameters: Sendable {
        var legMeters = 0.9
        /// A stretch teaches if it has at least this many steps (reference: calibration needs 20).
        var stepsMin = 20.0
        /// Learned within these bounds only: outside, steps or meters are wrong.
        var factorRange = 0.5...1.7
        /// Weight of a new stretch once learned.
        var gain = 0.15
        /// Stretches until it is trusted as learned.
        var stretchesMin = 2
    }

    let parameters: Parameters
    /// The owner's own line; used as it is until position has taught otherwise.
    var calibration: StrideCalibration?
    private(set) var factor = 1.0
    private var stretches = 0

    init(calibration: StrideCalibration?, parameters: Parameters = Parameters()) {
        self.calibration = calibration
        self.parameters = parameters
    }

    var isLearned: Bool { stretches >= parameters.stretchesMin }

    /// Half the width of the 95 % interval of a stride, as a share of it.
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

    /// Learns from a stretch that position measured.
    mutating func learn(meters: Double, steps: Double, cadence: Double) {
        guard steps >= parameters.stepsMin, meters > 5 else { return }
        let ratio = meters / steps / line(min(max(cadence, 60), 220))
        guard parameters.factorRange.contains(ratio) else { return }
        stretches += 1
        let gain = max(parameters.gain, 1 / Double(stretches))
        factor += gain * (ratio - factor)
    }
}

/// The reference's calibration: stride = slope × cadence + intercept by ordinary least squares.
public enum StrideLine {
    /// At least this many walks or runs of known length.
    public static let recordsMin = 5

    /// - Parameter records: Mean cadence (steps/min) and meters a step of each.
    /// - Returns: `nil` for fewer than ``recordsMin`` or all of one cadence.
    public static func fit(
        _ records: [(cadence: Double, metersPerStep: Double)]
    ) -> (line: StrideCalibration, rSquared: Double)? {
        guard records.count >= recordsMin else { return nil }
        let count = Double(records.count)
        let meanX = records.reduce(0) { $0 + $1.cadence } / count
        let meanY = records.reduce(0) { $0 + $1.metersPerStep } / count
        var xx = 0.0
        var xy = 0.0
        var yy = 0.0
        for record in records {
            let x = record.cadence - meanX
            let y = record.metersPerStep - meanY
            xx += x * x
            xy += x * y
            yy += y * y
        }
        guard xx > 0 else { return nil }
        let slope = xy / xx
        let line = StrideCalibration(slope: slope, intercept: meanY - slope * meanX)
        return (line, yy > 0 ? min(1, slope * xy / yy) : 0)
    }

    /// The reference's one-walk calibration over 100 m.
    /// - Returns: Meters a step; `nil` below 20 steps or 10 s.
    public static func stepLength(meters: Double, steps: Int, seconds: Double) -> Double? {
        guard meters >= 100, steps >= 20, seconds >= 10 else { return nil }
        return meters / Double(steps)
    }
}
