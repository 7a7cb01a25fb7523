import Bytes
import SensorModel

/// Writes a session as one object per line: the session, the recorded frames in the text wire
/// format, and the computed values.
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
        for point in session.seconds {
            line { object in
                object.string("type", "point")
                object.append(point)
            }
        }
        for lap in session.laps { line { $0.append(lap) } }
        for split in session.splits { line { $0.append(split) } }
        for pause in session.pauses { line { $0.append(pause) } }
    }

    mutating func takeBytes() -> [UInt8] {
        json.takeBytes()
    }

    private mutating func line(_ members: (inout JSONWriter) -> Void) {
        json.object(nil, members)
        json.newline()
    }
}
