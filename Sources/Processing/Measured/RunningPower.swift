import SensorModel

/// Computes the power that is shown: the mean of the last seconds.
///
/// A sensor's power of a single second varies by a tenth with each landing. Three seconds are eight
/// steps, and a change of pace still shows at once. Sports computers show the same mean.
struct RunningPower: Sendable {
    struct Parameters: Sendable {
        var seconds = 3.0
        /// Sensors send four values a second at most.
        var readingsMax = 16
    }

    let parameters: Parameters
    private var readings: [(time: Timestamp, watts: Double)] = []
    private var sensor: Int?

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    /// Adds the newest value; a value of another sensor restarts the mean.
    mutating func add(_ reading: MeasuredSensors.Reading) {
        if reading.sensor != sensor { readings.removeAll(keepingCapacity: true) }
        sensor = reading.sensor
        if let last = readings.last, last.time >= reading.time { return }
        if readings.count == parameters.readingsMax { readings.removeFirst() }
        readings.append((reading.time, reading.value))
    }

    /// - Parameter reading: The newest live value; `nil` if there is none.
    /// - Returns: The mean in watts, or the reading's own value if no other readings are kept.
    func watts(_ reading: MeasuredSensors.Reading?) -> Double? {
        guard let reading else { return nil }
        let recent = readings.filter {
            reading.time.seconds(since: $0.time) < parameters.seconds
        }
        guard reading.sensor == sensor, !recent.isEmpty else { return reading.value }
        return recent.reduce(0) { $0 + $1.watts } / Double(recent.count)
    }
}
