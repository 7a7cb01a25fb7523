import Bytes
import Recordings
import SensorModel

/// The decoded fields of a frame, as JSON members with a leading comma.
enum FrameText {
    static func fields(_ payload: Frame.Payload) -> String {
        switch payload {
        case .heartRate(let sample):
            var text = ",\"heartRate\":\(sample.beatsPerMinute)"
            text += ",\"contact\":\"\(sample.contact)\""
            if !sample.rrIntervals.isEmpty { text += ",\"rr1024\":\(sample.rrIntervals)" }
            return text
        case .motion(let batch):
            return ",\"samples\":\(batch.samples.count)"
                + ",\"intervalMicroseconds\":\(batch.intervalMicroseconds)"
                + ",\"rotation\":\(batch.traits.contains(.hasRotation))"
                + ",\"gravityIncluded\":\(batch.traits.contains(.includesGravity))"
                + axes("acceleration", batch.samples.map(\.acceleration))
                + (batch.traits.contains(.hasRotation)
                    ? axes("rotationRate", batch.samples.map(\.rotation)) : "")
        case .location(let location):
            var text = ",\"latitude\":\(location.latitude),\"longitude\":\(location.longitude)"
            text += optional("altitude", location.altitude)
            text += optional("horizontalAccuracy", location.horizontalAccuracy)
            text += optional("speed", location.speed)
            return text + optional("course", location.course)
        case .status(let status):
            return ",\"batteryPercent\":\(status.batteryPercent.map { "\($0)" } ?? "null")"
                + ",\"charging\":\(status.charging)"
        case .source(let name): return members { $0.string("text", name) }
        default: return members { $0.append(values: payload) }
        }
    }

    private static func members(_ body: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        json.object { body(&$0) }
        return "," + String(decoding: json.bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    /// x, y and z of each sample: g, or rad/s.
    private static func axes(_ name: String, _ vectors: [SIMD3<Float>]) -> String {
        let texts = vectors.map { "[\($0.x),\($0.y),\($0.z)]" }
        return ",\"\(name)\":[" + texts.joined(separator: ",") + "]"
    }

    private static func optional(_ name: String, _ value: Double?) -> String {
        ",\"\(name)\":\(value.map { "\($0)" } ?? "null")"
    }
}
