import Bytes
import SensorModel

/// Reads a ``Recording`` from our CSV export, one row a second, and from other CSV files with
/// similar columns, such as `Timestamp,Latitude,Longitude,Altitude (m),Heart Rate`.
struct CSVReader {
    static func recognizes(_ columns: [String]) -> Bool {
        columns.first?.hasPrefix("time") == true
            && columns.contains { $0.hasPrefix("latitude") || $0.hasPrefix("heartrate") }
    }

    static func read(_ table: CSVTable, _ itemsMax: Int) throws(RecordingError) -> Recording {
        let column = { name in table.columns.firstIndex { $0.hasPrefix(name) } }
        guard let time = column("time") else {
            throw .malformed(.csv, byte: 0, problem: "no column time")
        }
        let (latitude, longitude) = (column("latitude"), column("longitude"))
        let (altitude, heartRate) = (column("altitude"), column("heartrate"))
        let (cadence, distance) = (column("cadence"), column("distance"))
        let (speed, paused) = (column("speed"), column("paused"))
        let power = column("power")
        var builder = RecordingBuilder(format: .csv)
        builder.itemsMax = itemsMax
        var pauses = PauseRuns()
        table.forEachRow(fieldsMax: table.columns.count) { bytes, fields, count in
            func number(_ column: Int?) -> Double? {
                CSVTable.number(bytes, fields, count, column)
            }
            guard time < count, let time = CSVTable.time(bytes, fields[time]) else {
                return builder.refuse("unreadable row")
            }
            var point = TrackPoint()
            point.latitude = number(latitude)
            point.longitude = number(longitude)
            point.altitude = number(altitude)
            point.heartRate = number(heartRate)
            point.cadence = number(cadence)
            point.distance = number(distance)
            point.speed = number(speed)
            point.power = number(power)
            builder.add(point, at: time)
            pauses.add(number(paused) == 1, at: time)
        }
        for pause in pauses.finished {
            builder.addPause(start: pause.start, end: pause.end, automatic: true)
        }
        return try builder.finish()
    }
}

/// Collects rows marked as paused into pauses.
private struct PauseRuns {
    private(set) var finished: [RecordedPause] = []
    private var start: Timestamp?

    mutating func add(_ paused: Bool, at time: Timestamp) {
        if paused {
            start = start ?? time
        } else if let begun = start {
            // The row does not give the cause of the pause, so the pause is not a command.
            finished.append(RecordedPause(start: begun, end: time, automatic: true))
            start = nil
        }
    }
}

extension CSVTable {
    static func time(_ bytes: Span<UInt8>, _ field: Range<Int>) -> Timestamp? {
        var text: [UInt8] = []
        text.reserveCapacity(field.count)
        for index in field where bytes[index] != 0x22 { text.append(bytes[index]) }
        if let time = Timestamp(looseISO8601: text) { return time }
        // Unit: seconds or milliseconds since 1970.
        return NumberText.double(text.span, 0..<text.count).flatMap {
            Timestamp(secondsOrMilliseconds: $0)
        }
    }
}
