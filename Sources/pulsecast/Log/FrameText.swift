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
        case .control(let action): return ",\"action\":\"\(action)\""
        case .pressure(let hectopascals): return ",\"hectopascals\":\(hectopascals)"
        case .status(let status):
            return ",\"batteryPercent\":\(status.batteryPercent.map { "\($0)" } ?? "null")"
                + ",\"charging\":\(status.charging)"
        case .marker(let text), .source(let text): return ",\"text\":\(quoted(text))"
        }
    }

    /// x, y and z of each sample: g, or rad/s.
    private static func axes(_ name: String, _ vectors: [SIMD3<Float>]) -> String {
        let texts = vectors.map { "[\($0.x),\($0.y),\($0.z)]" }
        return ",\"\(name)\":[" + texts.joined(separator: ",") + "]"
    }

    private static func optional(_ name: String, _ value: Double?) -> String {
        ",\"\(name)\":\(value.map { "\($0)" } ?? "null")"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text.unicodeScalars {
            if character == "\"" || character == "\\" { quoted.append("\\") }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "\""
    }
}
