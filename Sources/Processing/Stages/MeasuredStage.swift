import SensorModel

/// Keeps values that sensors computed themselves, and decides where they replace our own values.
///
/// | value | order: the first known source is used |
/// |---|---|
/// | cadence, steps | own motion; sensor |
/// | distance, speed | positions; sensor; own steps |
///
/// There is one exception: a sensor at the feet that counts steps overrides own motion that shows
/// standing. A wrist at rest says nothing about the feet when a hand holds a rail or pushes a pram.
///
/// - In: measured values; whether own motion and positions are known; whether it is paused.
/// - Out: cadence, speed, meters and steps.
struct MeasuredStage: Sendable {
    private var sensors = MeasuredSensors()
    private var meters = MeasuredGrowth.meters
    private var steps = MeasuredGrowth.steps
    private var power = RunningPower()
    /// The sensors whose values replaced our own at the last whole second.
    private var speedSensor: Int?
    private var metersSensor: Int?
    private var stepsSensor: Int?

    // MARK: Samples

    mutating func add(_ values: MeasuredValues, _ context: inout StageContext) {
        let hadCadence = sensors.best(.cadence, at: context.time) != nil
        guard sensors.add(values, at: context.time) else { return }
        if let watts = sensors.best(.power, at: context.time) { power.add(watts) }
        // A first value is shown at once.
        if !hadCadence, values[.cadence] != nil { context.oweMetrics() }
    }

    /// Handles a position, which covers the meters up to its time.
    mutating func notePosition(at time: Timestamp) {
        meters.drop(to: time)
        metersSensor = nil
    }

    // MARK: Whole seconds

    /// - Parameters:
    ///   - time: The whole second.
    ///   - isPaused: Whether the session is paused, so that nothing counts.
    mutating func tick(at time: Timestamp, isPaused: Bool) {
        meters.follow(sensors, to: time)
        steps.follow(sensors, to: time)
        (speedSensor, stepsSensor) = (nil, nil)
        if isPaused {
            meters.drop(to: time)
            steps.drop(to: time)
        }
    }

    /// The sensor's cadence that replaces our own; `nil` if our own is used.
    func cadence(own: Double?, at time: Timestamp) -> MeasuredSensors.Reading? {
        guard let best = sensors.best(.cadence, at: time) else { return nil }
        guard let own else { return best }
        let isAtFeet =
            MeasuredValues.Quantity.cadence.rank(
                at: sensors.sensors[best.sensor].placement)
            == MeasuredValues.Quantity.cadence.rank(at: .foot)
        return own == 0 && best.value > 0 && isAtFeet ? best : nil
    }

    /// Steps/min as shown; `nil` while unknown.
    func stepsPerMinute(own: Double?, at time: Timestamp) -> Double? {
        cadence(own: own, at: time)?.value ?? own
    }

    /// The sensor's speed, m/s, which is used while positions give none.
    func speed(at time: Timestamp) -> MeasuredSensors.Reading? { sensors.best(.speed, at: time) }

    mutating func noteUse(ofSpeed reading: MeasuredSensors.Reading?) {
        speedSensor = reading?.sensor
    }

    /// Whether a sensor measures meters now.
    var hasMeters: Bool { meters.sensor != nil }

    /// Meters since the last call, or since the last position; `nil` if no sensor measures them.
    mutating func useMeters() -> Double? {
        metersSensor = meters.sensor
        return meters.sensor == nil ? nil : meters.use()
    }

    /// - Parameters:
    ///   - isOwn: Whether our own motion counts the steps.
    ///   - time: The whole second.
    /// - Returns: Whole steps since the last call.
    mutating func useSteps(isOwn: Bool, at time: Timestamp) -> Int {
        guard !isOwn, let sensor = steps.sensor else {
            steps.drop(to: time)
            return 0
        }
        stepsSensor = sensor
        return Int(steps.use(inStepsOf: 1))
    }

    // MARK: Metrics

    func addDeadlines(to deadline: inout SilenceDeadline) {
        for sensor in sensors.sensors {
            deadline.add(sensor.newest.advanced(bySeconds: sensors.staleSeconds(sensor) + 0.001))
        }
    }

    /// - Parameters:
    ///   - shown: Metrics that already have our own cadence.
    ///   - times: Times of the metrics.
    func show(in shown: inout Metrics, at times: StageTimes) {
        let own = shown.cadence?.stepsPerMinute
        let cadence = cadence(own: own, at: times.shownAt)
        show(cadence, in: &shown, at: times)
        shown.powerWatts = power.watts(sensors.best(.power, at: times.shownAt))
        for (index, sensor) in sensors.sensors.enumerated() {
            let isLive = sensors.isLive(sensor, since: sensor.newest, at: times.shownAt)
            var values = MeasuredValues(source: sensor.source, placement: sensor.placement)
            for (quantity, reading) in sensor.readings where !quantity.isCount {
                guard sensors.isLive(sensor, since: reading.time, at: sensor.newest) else {
                    continue
                }
                // The value was within the range when it was read.
                try? values.set(quantity, to: reading.value)
            }
            var metric = MeasuredMetric(
                values: values, state: times.isEnded ? .ended : isLive ? .live : .stale,
                ageSeconds: max(0, times.shownAt.seconds(since: sensor.newest)))
            if isLive { metric.standsIn = standsIn(index, cadence: cadence?.sensor) }
            shown.measured.append(metric)
        }
    }

    private func show(
        _ cadence: MeasuredSensors.Reading?, in shown: inout Metrics, at times: StageTimes
    ) {
        if let cadence {
            shown.cadence = CadenceMetric(
                stepsPerMinute: cadence.value, confidence: 1, uncertainty: nil,
                state: times.isEnded ? .ended : .live, source: name(of: cadence.sensor))
        } else if shown.cadence == nil,
            let sensor = sensors.sensors.firstIndex(where: { $0.readings[.cadence] != nil })
        {
            shown.cadence = CadenceMetric(
                stepsPerMinute: nil, confidence: 0, uncertainty: nil,
                state: times.isEnded ? .ended : .stale, source: name(of: sensor))
        }
    }

    private func standsIn(_ index: Int, cadence: Int?) -> [MeasuredValues.Quantity] {
        let all: [(MeasuredValues.Quantity, Int?)] = [
            (.cadence, cadence), (.stepCount, stepsSensor), (.speed, speedSensor),
            (.distance, metersSensor),
        ]
        return all.filter { $0.1 == index }.map(\.0)
    }

    /// Returns the source, otherwise the placement, otherwise "device".
    private func name(of sensor: Int) -> String {
        let sensor = sensors.sensors[sensor]
        return sensor.source ?? sensor.placement?.name ?? "device"
    }
}
