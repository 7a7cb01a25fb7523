import Glibc
import SensorModel

/// Altitude, climb and descent: from the barometer if there is one, otherwise from positions, or
/// from the course that they are on.
///
/// A barometer measures height differences to a decimeter. GPS is off by several meters and drifts
/// over minutes. So each has its own smoothing and threshold. Pressure becomes height by the
/// international barometric formula (ISO 2533).
struct Elevation: Sendable {
    struct Parameters: Sendable {
        /// Meters: above gusts of wind and a barometer's noise, which is 0.3 before smoothing.
        var barometerThreshold = 1.0
        /// Seconds: a longer constant would cut off peaks.
        var barometerTimeConstant = 2.5
        /// Seconds of silence after which the barometer counts as absent.
        var barometerSilenceSeconds = 60.0
    }

    let parameters: Parameters
    private var barometer: ClimbCounter
    private var pressureAltitude = SmoothedAltitude()
    private var positions = PositionClimb()
    private var newestPressure: Timestamp?

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
        barometer = ClimbCounter(threshold: parameters.barometerThreshold)
    }

    var hasBarometer: Bool { newestPressure != nil }

    /// Meters; `nil` while unknown.
    var altitude: Double? { hasBarometer ? pressureAltitude.meters : positions.altitude }

    var gainMeters: Double? {
        altitude == nil ? nil : barometer.gainMeters + positions.gainMeters
    }
    var lossMeters: Double? {
        altitude == nil ? nil : barometer.lossMeters + positions.lossMeters
    }

    static func altitude(hectopascals: Double) -> Double {
        44_330.77 * (1 - pow(hectopascals / 1013.25, 0.190263))
    }

    mutating func add(pressure hectopascals: Double, at time: Timestamp) {
        let measured = Self.altitude(hectopascals: hectopascals)
        if newestPressure == nil { restart() }
        newestPressure = time
        let continues = pressureAltitude.add(
            measured, timeConstant: parameters.barometerTimeConstant, at: time)
        if !continues { barometer.restart() }
        if let meters = pressureAltitude.meters { barometer.add(meters) }
    }

    /// - Parameters:
    ///   - location: A fix with an altitude.
    ///   - courseAltitude: The course's altitude there; `nil` if it is unknown.
    ///   - time: Time of the fix.
    mutating func add(
        _ location: Location, courseAltitude: Double? = nil, at time: Timestamp
    ) {
        guard let altitude = location.altitude else { return }
        if let newestPressure {
            guard time.seconds(since: newestPressure) > parameters.barometerSilenceSeconds else {
                return
            }
            self.newestPressure = nil
            restart()
        }
        let isFiltered = location.horizontalAccuracy == nil && location.verticalAccuracy == nil
        positions.add(
            altitude, courseAltitude: courseAltitude,
            verticalAccuracy: location.verticalAccuracy, isFiltered: isFiltered, at: time)
    }

    private mutating func restart() {
        pressureAltitude.restart()
        barometer.restart()
        positions.restart()
    }
}
