import SensorModel

/// A hard impact followed by lying still (the reference's rule, its early alarm mended).
///
/// The reference fired 0.1 s after a hard foot strike; here the whole window must have passed, with
/// samples all through it. Gravity-free samples rest at 0 g, others at 1 g.
struct FallDetector: Sendable {
    struct Parameters: Sendable {
        /// g, inclusive.
        var impact: Float = 3.0
        /// Seconds that must be still after it.
        var stillSeconds = 5.0
        /// g around rest, exclusive.
        var stillBand: Float = 0.3
        /// Seconds in which the impact itself may ring; the reference's readings are 0.1 s apart,
        /// ours 0.01.
        var settleSeconds = 0.4
        /// Samples the session needs before and through the window.
        var samplesMin = 10
        /// Seconds without a sample that break the window.
        var holeSeconds = 1.5
    }

    let parameters = Parameters()
    private var impactAt: Timestamp?
    private var newest: Timestamp?
    private var samples = 0

    /// - Returns: Whether this sample completes a fall.
    mutating func update(_ sample: MotionSample, traits: MotionTraits, at time: Timestamp) -> Bool {
        let squared = (sample.acceleration * sample.acceleration).sum()
        samples &+= 1
        defer { newest = time }
        if squared >= parameters.impact * parameters.impact {
            impactAt = time
            return false
        }
        guard let impactAt else { return false }
        if let newest, time.seconds(since: newest) > parameters.holeSeconds {
            self.impactAt = nil
            return false
        }
        let since = time.seconds(since: impactAt)
        guard since >= parameters.settleSeconds else { return false }
        let rest: Float = traits.contains(.includesGravity) ? 1 : 0
        guard abs(squared.squareRoot() - rest) < parameters.stillBand else {
            self.impactAt = nil
            return false
        }
        guard since >= parameters.stillSeconds else { return false }
        self.impactAt = nil
        return samples >= parameters.samplesMin
    }
}
