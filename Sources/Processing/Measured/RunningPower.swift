import SensorModel

/// Power as it is shown: the mean of the last seconds.
///
/// A sensor's power of a single second swings by a tenth with each landing. Three seconds are eight
/// steps, and a change of pace still shows at once; sports computers show the same mean.
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

    /// Adds the newest value; that of another sensor begins anew.
    mutating func add(_ reading: MeasuredSensors.Reading) {
        if reading.sensor != sensor { readings.removeAll(keepingCapacity: true) }
        sensor = reading.sensor
        if let last = readings.last, last.time >= reading.time { return }
        if readings.count == parameters.readingsMax { readings.removeFirst() }
        readings.append((reading.time, reading.value))
    }

    /// - Parameter reading: The newest live value; `nil`: none.
    /// - Returns: The mean, watts; the value itself where it is the only one.
    func watts(_ reading: MeasuredSensors.Reading?) -> Double? {
        guard let reading else { return nil }
        let recent = readings.filter {
            reading.time.seconds(since: $0.time) < parameters.seconds
        }
        guard reading.sensor == sensor, !recent.isEmpty else { return reading.value }
        return recent.reduce(0) { $0 + $1.watts } / Double(recent.count)
    }
}
