import Bytes
import SensorModel

/// Converts a session's frames and points to MCAP messages, JSON by topic.
///
/// Positions are `foxglove.LocationFix`, so that a map panel shows them directly.
struct MCAPSession {
    private enum Topic: Int, CaseIterable {
        case location, heartRate, motion, events, metrics, measured

        var channel: MCAPWriter.Channel {
            switch self {
            case .location:
                MCAPWriter.Channel(
                    topic: "/location", schemaName: "foxglove.LocationFix",
                    schema: MCAPSchemas.locationFix)
            case .heartRate:
                MCAPWriter.Channel(
                    topic: "/heart_rate", schemaName: "pulsecast.HeartRate",
                    schema: MCAPSchemas.open)
            case .motion:
                MCAPWriter.Channel(
                    topic: "/motion", schemaName: "pulsecast.Motion", schema: MCAPSchemas.open)
            case .events:
                MCAPWriter.Channel(
                    topic: "/events", schemaName: "pulsecast.Event", schema: MCAPSchemas.open)
            case .metrics:
                MCAPWriter.Channel(
                    topic: "/metrics", schemaName: "pulsecast.Metrics", schema: MCAPSchemas.open)
            case .measured:
                MCAPWriter.Channel(
                    topic: "/measured", schemaName: "pulsecast.Measured", schema: MCAPSchemas.open)
            }
        }
    }

    private let session: RecordedSession
    private var writer = MCAPWriter(channels: Topic.allCases.map(\.channel))

    init(_ session: RecordedSession) {
        self.session = session
    }

    mutating func append(_ frame: Frame, arrivalTime: Timestamp) {
        var json = JSONWriter()
        let topic: Topic
        switch frame.payload {
        case .location(let location):
            topic = .location
            json.object { $0.append(fix: location, at: frame.deviceTime) }
        case .heartRate:
            topic = .heartRate
            json.object { $0.append(frame) }
        case .motion:
            topic = .motion
            json.object { $0.append(frame) }
        case .measured:
            topic = .measured
            json.object { $0.append(frame) }
        default:
            topic = .events
            json.object { $0.append(frame) }
        }
        append(topic, json, arrivalTime: arrivalTime, deviceTime: frame.deviceTime)
    }

    mutating func finish() {
        for point in session.seconds {
            var json = JSONWriter()
            json.object { $0.append(point) }
            append(
                .metrics, json, arrivalTime: point.arrivalTime ?? point.time,
                deviceTime: point.time)
        }
        for pause in session.pauses { append(event: pause.start) { $0.append(pause) } }
        for lap in session.laps { append(event: lap.end) { $0.append(lap) } }
        for split in session.splits { append(event: split.time) { $0.append(split) } }
        writer.finish()
    }

    mutating func takeBytes() -> [UInt8] {
        writer.takeBytes()
    }

    private mutating func append(event time: Timestamp, _ members: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        json.object(nil, members)
        append(.events, json, arrivalTime: time, deviceTime: time)
    }

    private mutating func append(
        _ topic: Topic, _ json: JSONWriter, arrivalTime: Timestamp, deviceTime: Timestamp
    ) {
        writer.append(
            channel: topic.rawValue, logTime: arrivalTime, publishTime: deviceTime,
            data: json.bytes)
    }
}

extension JSONWriter {
    fileprivate mutating func append(fix location: Location, at time: Timestamp) {
        let whole = time.wholeSecond
        object("timestamp") { object in
            object.integer("sec", whole.microseconds / 1_000_000)
            object.integer("nsec", (time.microseconds - whole.microseconds) * 1000)
        }
        string("frame_id", "wgs84")
        number("latitude", location.latitude, decimals: 7)
        number("longitude", location.longitude, decimals: 7)
        number("altitude", location.altitude ?? 0, decimals: 2)
        let horizontal = location.horizontalAccuracy.map { $0 * $0 }
        let vertical = location.verticalAccuracy.map { $0 * $0 }
        array("position_covariance") { array in
            for place in 0..<9 {
                let variance = place == 8 ? vertical ?? horizontal : horizontal
                array.number(nil, place % 4 == 0 ? variance ?? 0 : 0, decimals: 2)
            }
        }
        // 1: estimated from the accuracy; 0: unknown.
        integer("position_covariance_type", horizontal == nil ? 0 : 1)
        number("speed", location.speed, decimals: 2)
        number("course", location.course, decimals: 2)
    }
}
