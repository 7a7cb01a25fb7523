import SensorModel

/// Detects a hard impact followed by lying still: the reference's rule without its early alarm.
///
/// The reference fires 0.1 s after a hard foot strike. Here the runner must lie still for the whole
/// window, with samples throughout it. At rest, samples without gravity are at 0 g, others at 1 g.
struct FallDetector: Sendable {
    struct Parameters: Sendable {
        /// Acceleration of an impact, g, inclusive.
        var impact: Float = 3.0
        /// Seconds without motion after the impact.
        var stillSeconds = 5.0
        /// Tolerance around rest, g, exclusive.
        var stillBand: Float = 0.3
        /// Seconds in which the impact may still vibrate. The reference reads a sample every 0.1 s;
        /// here the interval is 0.01 s.
        var settleSeconds = 0.4
        /// Minimum samples of the session up to the end of the window.
        var samplesMin = 10
        /// Seconds without a sample that cancel the window.
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
