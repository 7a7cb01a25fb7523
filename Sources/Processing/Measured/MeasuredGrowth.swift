import SensorModel

/// Measures the growth of a sensor's count, or the sum of its rates if it sends no count.
///
/// A count that falls has restarted. A count that rises faster than a person can was taken over
/// from elsewhere. Both restart the measurement and add nothing.
struct MeasuredGrowth: Sendable {
    let count: MeasuredValues.Quantity
    let rate: MeasuredValues.Quantity
    /// Units a second that one unit of the rate stands for.
    let perSecond: Double
    /// Highest plausible growth, units a second.
    let perSecondMax: Double

    /// Counts meters; the limit is faster than a descent by bicycle.
    static let meters = MeasuredGrowth(
        count: .distance, rate: .speed, perSecond: 1, perSecondMax: 30)
    /// Counts steps; the limit is 300 a minute, faster than any runner.
    static let steps = MeasuredGrowth(
        count: .stepCount, rate: .cadence, perSecond: 1.0 / 60, perSecondMax: 5)

    private var last: MeasuredSensors.Reading?
    private var followedTo: Timestamp?
    /// Time before which growth is dropped.
    private var droppedTo = Timestamp(microseconds: .min)
    /// Growth that has not been used yet.
    private(set) var waiting = 0.0
    /// The sensor of the newest growth; `nil` if no sensor counts now.
    private(set) var sensor: Int?

    private init(
        count: MeasuredValues.Quantity, rate: MeasuredValues.Quantity, perSecond: Double,
        perSecondMax: Double
    ) {
        self.count = count
        self.rate = rate
        self.perSecond = perSecond
        self.perSecondMax = perSecondMax
    }

    /// Adds the growth up to a whole second.
    mutating func follow(_ sensors: MeasuredSensors, to time: Timestamp) {
        defer { followedTo = time }
        if let reading = sensors.best(count, at: time) {
            sensor = reading.sensor
            if let last, last.sensor == reading.sensor { add(from: last, to: reading) }
            last = reading
            return
        }
        last = nil
        guard let reading = sensors.best(rate, at: time) else {
            sensor = nil
            return
        }
        sensor = reading.sensor
        guard let followedTo else { return }
        let seconds = time.seconds(since: max(followedTo, droppedTo))
        waiting += min(reading.value * perSecond, perSecondMax) * min(max(seconds, 0), 1)
    }

    private mutating func add(
        from last: MeasuredSensors.Reading, to reading: MeasuredSensors.Reading
    ) {
        let growth = reading.value - last.value
        let seconds = reading.time.seconds(since: last.time)
        // A whole unit of a count may arrive a second late.
        guard growth > 0, seconds > 0, growth <= perSecondMax * (seconds + 1) else { return }
        let wanted = reading.time.seconds(since: max(last.time, droppedTo))
        if wanted > 0 { waiting += growth * wanted / seconds }
    }

    /// Drops the growth up to a time, because it happened in a pause or our own measurement covers
    /// it. Growth that a sensor reports later for that time is dropped too.
    mutating func drop(to time: Timestamp) {
        waiting = 0
        droppedTo = time
    }

    /// - Parameter step: The smallest part to return; the remainder is kept.
    /// - Returns: The growth that has not been used yet.
    mutating func use(inStepsOf step: Double = 0) -> Double {
        let used = step > 0 ? (waiting / step).rounded(.down) * step : waiting
        waiting -= used
        return used
    }
}
