import SensorModel

/// Keeps the newest values of each sensor that computes values itself.
///
/// Source and placement together identify a sensor. A value is live as long as the rhythm of its
/// sensor explains its silence. If several sensors have a live value of a quantity, the sensor
/// nearest to the measured thing is used, then the one that came first. So the display does not
/// flicker between two.
struct MeasuredSensors: Sendable {
    struct Parameters: Sendable {
        /// Minimum seconds until a value is stale: a pedometer reports every 2 to 5.
        var staleSecondsMin = 6.0
        /// Maximum seconds until a value is stale: watches that record by need leave gaps of 8.
        var staleSecondsMax = 15.0
        /// Silence until a value is stale, in intervals of the sensor.
        var staleIntervals = 3.0
        /// Weight of a new interval.
        var intervalGain = 0.2
        var sensorsMax = 4
    }

    struct Sensor: Sendable {
        let source: String?
        let placement: MeasuredValues.Placement?
        var newest: Timestamp
        var intervalSeconds: Double?
        /// The newest value of each quantity, with its time.
        var readings: [MeasuredValues.Quantity: (value: Double, time: Timestamp)] = [:]
    }

    /// A value and the index of its sensor in ``sensors``.
    struct Reading: Sendable {
        var value: Double
        var time: Timestamp
        var sensor: Int
    }

    let parameters: Parameters
    private(set) var sensors: [Sensor] = []

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    /// - Returns: Whether the values are newer than the sensor's last ones.
    mutating func add(_ values: MeasuredValues, at time: Timestamp) -> Bool {
        let index = place(of: values, at: time)
        let isNew = sensors[index].readings.isEmpty
        let interval = time.seconds(since: sensors[index].newest)
        guard isNew || interval >= 0 else { return false }
        if !isNew, interval > 0 {
            let bounded = min(interval, parameters.staleSecondsMax)
            let mean = sensors[index].intervalSeconds
            sensors[index].intervalSeconds =
                mean.map { $0 + parameters.intervalGain * (bounded - $0) } ?? bounded
        }
        sensors[index].newest = time
        for quantity in values.quantities {
            sensors[index].readings[quantity] = values[quantity].map { ($0, time) }
        }
        return true
    }

    private mutating func place(of values: MeasuredValues, at time: Timestamp) -> Int {
        let known = sensors.firstIndex {
            $0.source == values.source && $0.placement == values.placement
        }
        if let known { return known }
        let fresh = Sensor(source: values.source, placement: values.placement, newest: time)
        guard sensors.count == parameters.sensorsMax else {
            sensors.append(fresh)
            return sensors.count - 1
        }
        let oldest = sensors.indices.min { sensors[$0].newest < sensors[$1].newest } ?? 0
        sensors[oldest] = fresh
        return oldest
    }

    func staleSeconds(_ sensor: Sensor) -> Double {
        let rhythm = parameters.staleIntervals * (sensor.intervalSeconds ?? 0)
        return min(max(rhythm, parameters.staleSecondsMin), parameters.staleSecondsMax)
    }

    func isLive(_ sensor: Sensor, since newest: Timestamp, at time: Timestamp) -> Bool {
        time.seconds(since: newest) <= staleSeconds(sensor)
    }

    /// The live value to use; `nil` if there is none.
    func best(_ quantity: MeasuredValues.Quantity, at time: Timestamp) -> Reading? {
        var best: (reading: Reading, rank: Int)?
        for (index, sensor) in sensors.enumerated() {
            guard let (value, since) = sensor.readings[quantity],
                isLive(sensor, since: since, at: time)
            else { continue }
            let rank = quantity.rank(at: sensor.placement)
            if let best, best.rank >= rank { continue }
            best = (Reading(value: value, time: since, sensor: index), rank)
        }
        return best?.reading
    }
}
