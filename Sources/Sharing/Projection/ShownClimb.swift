import SensorModel

/// Climb and descent in view.
///
/// They cannot be the session's sums minus the hidden ones. A swing counts from its valley once it
/// exceeds a threshold, so the first swing in view would reveal how low a hidden valley lies. Until
/// the first turn in view, the altitudes in view are counted. From there on the session's own sums
/// count, which include its barometer.
struct ShownClimb: Sendable {
    /// Meters, as in the session's counter when its altitudes are least certain.
    private static let threshold = 10.0
    /// Largest growth of the session's sums in a second that counts, meters. A larger one is
    /// deferred climb, perhaps of a hidden stretch.
    private static let stepMax = 12.0

    private enum Phase: Sendable {
        /// No swing in view yet: the extremes.
        case level(low: Double, high: Double)
        /// The first swing in view, up or down, and its extreme so far.
        case swing(isUp: Bool, end: Double)
        case turned
    }

    private(set) var gainMeters = 0.0
    private(set) var lossMeters = 0.0
    private var phase: Phase?
    /// Whether nothing was hidden before.
    private var isWhole = true
    /// The session's sums at the last call.
    private var recorded = (gain: 0.0, loss: 0.0)

    /// Notes that a stretch in view begins.
    ///
    /// - Parameters:
    ///   - totals: The session's sums at that point.
    ///   - isWhole: Whether nothing was hidden before; the session's sums then count at once.
    mutating func begin(_ totals: SessionTotals, isWhole: Bool) {
        phase = isWhole ? .turned : nil
        self.isWhole = isWhole
        recorded = (totals.elevationGainMeters, totals.elevationLossMeters)
    }

    /// - Parameters:
    ///   - shown: Metrics whose sums become those in view.
    ///   - metrics: The same metrics as recorded.
    mutating func update(_ shown: inout Metrics, of metrics: Metrics) {
        let sums = (
            gain: metrics.elevationGainMeters ?? 0, loss: metrics.elevationLossMeters ?? 0
        )
        let grown = (gain: sums.gain - recorded.gain, loss: sums.loss - recorded.loss)
        recorded = sums
        if case .turned = phase {
            if isWhole || grown.gain <= Self.stepMax { gainMeters += max(0, grown.gain) }
            if isWhole || grown.loss <= Self.stepMax { lossMeters += max(0, grown.loss) }
        } else if let altitude = metrics.position?.altitudeMeters {
            count(altitude)
        }
        if metrics.elevationGainMeters != nil { shown.elevationGainMeters = gainMeters }
        if metrics.elevationLossMeters != nil { shown.elevationLossMeters = lossMeters }
    }

    private mutating func count(_ altitude: Double) {
        switch phase {
        case nil: phase = .level(low: altitude, high: altitude)
        case .level(let low, let high):
            if altitude - low >= Self.threshold {
                gainMeters += altitude - low
                phase = .swing(isUp: true, end: altitude)
            } else if high - altitude >= Self.threshold {
                lossMeters += high - altitude
                phase = .swing(isUp: false, end: altitude)
            } else {
                phase = .level(low: min(low, altitude), high: max(high, altitude))
            }
        case .swing(true, let end):
            if altitude > end {
                gainMeters += altitude - end
                phase = .swing(isUp: true, end: altitude)
            } else if end - altitude >= Self.threshold {
                lossMeters += end - altitude
                phase = .turned
            }
        case .swing(false, let end):
            if altitude < end {
                lossMeters += end - altitude
                phase = .swing(isUp: false, end: altitude)
            } else if altitude - end >= Self.threshold {
                gainMeters += altitude - end
                phase = .turned
            }
        case .turned: break
        }
    }
}
