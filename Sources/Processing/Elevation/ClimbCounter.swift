/// Counts climb and descent of a series of altitudes: swings of at least a threshold, in full.
///
///         /\  counted: 8 up, 8 down        ~~~  below the threshold: not counted
///        /  \
///
/// It finds turning points as in rainflow counting (ASTM E1049). A swing counts from valley to peak
/// once it exceeds the threshold. So no hill loses its last meters, and smaller noise counts
/// nothing. Neither sum ever falls.
struct ClimbCounter: Sendable {
    /// Threshold, meters.
    let threshold: Double
    private(set) var gainMeters = 0.0
    private(set) var lossMeters = 0.0
    private var low: Double?
    private var high = 0.0
    private var direction = 0

    init(threshold: Double) {
        self.threshold = threshold
    }

    mutating func add(_ altitude: Double) {
        guard let low else {
            self.low = altitude
            high = altitude
            return
        }
        switch direction {
        case 1:
            if altitude > high {
                gainMeters += altitude - high
                high = altitude
            } else if high - altitude >= threshold {
                lossMeters += high - altitude
                self.low = altitude
                direction = -1
            }
        case -1:
            if altitude < low {
                lossMeters += low - altitude
                self.low = altitude
            } else if altitude - low >= threshold {
                gainMeters += altitude - low
                high = altitude
                direction = 1
            }
        default:
            self.low = min(low, altitude)
            high = max(high, altitude)
            if altitude - min(low, altitude) >= threshold {
                gainMeters += altitude - low
                high = altitude
                direction = 1
            } else if high - altitude >= threshold {
                lossMeters += high - altitude
                self.low = altitude
                direction = -1
            }
        }
    }

    /// Forgets the altitude but keeps the sums, because the source of altitudes has changed.
    mutating func restart() {
        low = nil
        direction = 0
    }
}
