import SensorModel

/// The newest values of the sensors at rising moments.
///
/// A value counts for as long as a row of the session does. Of several sensors the one nearest to
/// what is measured counts, as in the live values.
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

    /// Moves on to a moment, not before the last one.
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

    /// Keeps one reading for each rank, four at most: that of the sensor that was there first.
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

    /// Fills in what the sensors know of a moment.
    func complete(_ point: inout SessionPoint) {
        point.powerWatts = value(.power, at: point.time)
        point.pedalCadence = value(.pedalCadence, at: point.time)
        // Our own cadence counts where it is known, but for one that a sensor at the feet corrects.
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
