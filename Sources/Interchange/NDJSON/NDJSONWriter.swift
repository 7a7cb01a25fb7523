import SensorModel

/// Writes a session as one object a line: the session, what was recorded in the words of the
/// text wire, and what was computed.
struct NDJSONWriter {
    private var json = JSONWriter()
    private let session: RecordedSession

    init(_ session: RecordedSession) {
        self.session = session
        json.object { object in
            object.string("type", "session")
            object.string("session", session.id.description)
            object.string("device", session.device)
            object.string("name", session.name)
            object.string("sport", session.sport)
            object.seconds("start", session.start)
            object.seconds("end", session.end)
        }
        json.newline()
    }

    mutating func append(_ frame: Frame, arrivalTime: Timestamp) {
        json.object { object in
            object.append(frame)
            object.seconds("arrivalTime", arrivalTime)
        }
        json.newline()
    }

    mutating func finish() {
        for point in session.points { append(point) }
        for lap in session.laps { append(lap) }
        for split in session.splits { append(split) }
        for pause in session.pauses {
            json.object { object in
                object.string("type", "pause")
                object.seconds("start", pause.start)
                object.seconds("end", pause.end)
                object.bool("automatic", pause.automatic)
            }
            json.newline()
        }
    }

    mutating func takeBytes() -> [UInt8] {
        json.takeBytes()
    }

    private mutating func append(_ point: SessionPoint) {
        json.object { object in
            object.string("type", "point")
            object.append(point)
        }
        json.newline()
    }

    private mutating func append(_ lap: RecordedLap) {
        json.object { object in
            object.string("type", "lap")
            object.seconds("start", lap.start)
            object.seconds("end", lap.end)
            object.number("timerSeconds", lap.timerSeconds, decimals: 3)
            object.number("distanceMeters", lap.distanceMeters, decimals: 2)
            object.number("averageHeartRate", lap.averageHeartRate, decimals: 1)
        }
        json.newline()
    }

    private mutating func append(_ split: SessionSplit) {
        json.object { object in
            object.string("type", "split")
            object.seconds("time", split.time)
            let unit = split.split.unit == .kilometer ? "km" : "mile"
            object.integer(unit, Int64(split.split.number))
            object.number("seconds", split.split.seconds, decimals: 3)
            object.number("averageHeartRate", split.split.averageHeartRate, decimals: 1)
            object.number("elevationMeters", split.split.elevationMeters, decimals: 2)
        }
        json.newline()
    }
}
