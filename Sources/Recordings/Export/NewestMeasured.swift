import SensorModel

/// The newest values of the sensors at rising moments.
///
/// A value is valid for as long as a row of the session is. Of several sensors, the one nearest to
/// the measured thing is used, as in the live values.
struct NewestMeasured {
    private struct Reading {
        var value: Double
        var time: Timestamp
        var rank: Int
        var moment: Int
    }

    private static let secondsMax = MeasuredPoints.nearSeconds
    private static let quantities: [MeasuredValues.Quantity] = [
        .cadence, .pedalCadence, .power, .speed,
    ]

    private let moments: [RecordedSession.MeasuredMoment]
    private var next = 0
    private var newest: [MeasuredValues.Quantity: [Reading]] = [:]

    init(_ moments: [RecordedSession.MeasuredMoment]) {
        self.moments = moments
    }

    /// Moves to a moment, which is not before the last one.
    mutating func move(to time: Timestamp) {
        while next < moments.count, moments[next].time <= time {
            let values = moments[next].values
            for quantity in Self.quantities {
                guard let value = values[quantity] else { continue }
                let reading = Reading(
                    value: value, time: moments[next].time,
                    rank: quantity.rank(at: values.placement), moment: next)
                keep(reading, of: quantity)
            }
            next += 1
        }
    }

    /// Keeps one reading for each rank, four at most. The sensor that came first keeps its place.
    private mutating func keep(_ reading: Reading, of quantity: MeasuredValues.Quantity) {
        var readings = newest[quantity] ?? []
        if let index = readings.firstIndex(where: { $0.rank == reading.rank }) {
            let before = moments[readings[index].moment].values
            let values = moments[reading.moment].values
            let isSame = before.source == values.source && before.placement == values.placement
            let isOver =
                reading.time.seconds(since: readings[index].time) > Self.secondsMax
            if isSame || isOver { readings[index] = reading }
        } else {
            readings.append(reading)
        }
        newest[quantity] = readings
    }

    func value(_ quantity: MeasuredValues.Quantity, at time: Timestamp) -> Double? {
        reading(quantity, at: time)?.value
    }

    /// Fills in the sensors' values at the time of a point.
    func complete(_ point: inout SessionPoint) {
        point.powerWatts = value(.power, at: point.time)
        point.pedalCadence = value(.pedalCadence, at: point.time)
        // Our own cadence is used if it is known, unless a sensor at the feet corrects it.
        if point.cadence == nil || point.cadenceSource != nil,
            let reading = reading(.cadence, at: point.time)
        {
            let values = moments[reading.moment].values
            point.cadence = reading.value
            point.cadenceSource = values.source ?? values.placement?.name ?? "device"
        }
        if point.latitude == nil, let speed = value(.speed, at: point.time) {
            point.speedMetersPerSecond = speed
        }
    }

    private func reading(
        _ quantity: MeasuredValues.Quantity, at time: Timestamp
    ) -> Reading? {
        newest[quantity]?.filter { time.seconds(since: $0.time) <= Self.secondsMax }
            .max { $0.rank < $1.rank }
    }
}
