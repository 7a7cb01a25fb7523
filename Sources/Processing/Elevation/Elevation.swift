import Glibc
import SensorModel

/// Altitude, climb and descent: from the barometer if there is one, else from positions.
///
/// A barometer measures height differences to a decimeter. GPS is off by several meters and drifts
/// over minutes. So each has its own smoothing and threshold. Pressure becomes height by the
/// international barometric formula (ISO 2533).
struct Elevation: Sendable {
    struct Parameters: Sendable {
        /// Meters: above a barometer's noise, 0.3 before smoothing, and gusts of wind.
        var barometerThreshold = 1.0
        /// Seconds: a longer constant would cut off peaks.
        var barometerTimeConstant = 2.5
        /// Meters: above the drift of satellite altitude in the open.
        var positionThreshold = 10.0
        /// Seconds; a climb on foot rises by less than 0.5 m a second.
        var positionTimeConstant = 20.0
        /// m/s: no runner climbs or descends faster, but a settling receiver's altitude does.
        var verticalSpeedMax = 1.5
        /// Seconds of silence after which the barometer counts as gone.
        var barometerSilenceSeconds = 60.0
    }

    let parameters: Parameters
    private(set) var altitude: Double?
    private var barometer: ClimbCounter
    private var positions: ClimbCounter
    private var newest: Timestamp?
    private var newestPressure: Timestamp?

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
        barometer = ClimbCounter(threshold: parameters.barometerThreshold)
        positions = ClimbCounter(threshold: parameters.positionThreshold)
    }

    var hasBarometer: Bool { newestPressure != nil }
    var gainMeters: Double? { altitude == nil ? nil : barometer.gainMeters + positions.gainMeters }
    var lossMeters: Double? { altitude == nil ? nil : barometer.lossMeters + positions.lossMeters }

    static func altitude(hectopascals: Double) -> Double {
        44_330.77 * (1 - pow(hectopascals / 1013.25, 0.190263))
    }

    mutating func add(pressure hectopascals: Double, at time: Timestamp) {
        let measured = Self.altitude(hectopascals: hectopascals)
        if newestPressure == nil { restart() }
        newestPressure = time
        let smoothed = smooth(measured, timeConstant: parameters.barometerTimeConstant, at: time)
        barometer.add(smoothed)
    }

    mutating func add(position altitude: Double, verticalAccuracy: Double?, at time: Timestamp) {
        if let newestPressure {
            guard time.seconds(since: newestPressure) > parameters.barometerSilenceSeconds else {
                return
            }
            self.newestPressure = nil
            restart()
        }
        let blur = max(1, (verticalAccuracy ?? 5) / 5)
        let constant = parameters.positionTimeConstant * blur
        positions.add(smooth(altitude, timeConstant: constant, at: time))
    }

    private mutating func restart() {
        altitude = nil
        newest = nil
        barometer.restart()
        positions.restart()
    }

    private mutating func smooth(
        _ measured: Double, timeConstant: Double, at time: Timestamp
    ) -> Double {
        guard let old = altitude, let newest else {
            altitude = measured
            self.newest = time
            return measured
        }
        let seconds = max(0, time.seconds(since: newest))
        self.newest = max(time, newest)
        // An impossible climb is a settling receiver: it is followed, but as a new start.
        if abs(measured - old) > 30 + parameters.verticalSpeedMax * seconds {
            barometer.restart()
            positions.restart()
            altitude = measured
            return measured
        }
        let smoothed = old + (measured - old) * seconds / (timeConstant + seconds)
        altitude = smoothed
        return smoothed
    }
}
