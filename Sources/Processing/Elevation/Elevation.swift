import Glibc
import SensorModel

/// Altitude, climb and descent: the barometer first, positions second.
///
/// A barometer knows height differences to a decimeter, GPS to several meters with wander over
/// minutes; so each has its own smoothing and threshold. Pressure becomes height by the
/// international barometric formula (ISO 2533).
struct Elevation: Sendable {
    struct Parameters: Sendable {
        /// Meters: over a barometer's noise, 0.3 before smoothing, and the wind's gusts.
        var barometerThreshold = 1.0
        /// Seconds: longer ones cut the tops off.
        var barometerTimeConstant = 2.5
        /// Meters: over the wander of satellite altitude in the open.
        var positionThreshold = 10.0
        /// Seconds; a climb on foot rises by less than 0.5 m a second.
        var positionTimeConstant = 20.0
        /// m/s: no runner climbs or falls faster; a settling receiver's altitude does.
        var verticalSpeedMax = 1.5
        /// The barometer is gone after this many seconds of silence.
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
        // What no legs can climb is the receiver settling: followed, but as a new start.
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
