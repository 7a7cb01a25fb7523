public import SensorModel

/// The HeartBeatStream schema, which its web viewer reads from `publicStreams/ID`.
public enum PublicStreams {
    /// The object `{"bpm","start","end","source"}`; `null` without a reading.
    public static func latest(_ reading: HeartRateReading?) -> [UInt8] {
        guard let reading else { return Array("null".utf8) }
        var json = ViewerJSON(reserving: 128)
        write(reading, to: &json)
        return json.bytes
    }

    /// An object keyed by milliseconds of the sample's end; `null` if it is empty, as in the
    /// original.
    public static func history(_ readings: some Sequence<HeartRateReading>) -> [UInt8] {
        var json = ViewerJSON(reserving: 4096)
        var isEmpty = true
        for (key, reading) in keyed(readings, after: .min) {
            json.raw(isEmpty ? "{\"" : ",\"")
            json.integer(key)
            json.raw("\":")
            write(reading, to: &json)
            isEmpty = false
        }
        json.raw(isEmpty ? "null" : "}")
        return json.bytes
    }

    /// The readings with a key of their own in ``history(_:)``.
    ///
    /// - Parameters:
    ///   - readings: Readings, oldest first.
    ///   - key: The last key before them.
    /// - Returns: These readings with their keys: milliseconds since 1970.
    public static func keyed(
        _ readings: some Sequence<HeartRateReading>, after key: Int64
    ) -> [(key: Int64, reading: HeartRateReading)] {
        var last = key
        return readings.compactMap { reading in
            let milliseconds = reading.measuredAt.milliseconds
            // One sample is in the metrics of several seconds; a key must occur once.
            guard milliseconds > last else { return nil }
            last = milliseconds
            return (milliseconds, reading)
        }
    }

    /// One server-sent event of the Firebase REST streaming form, which replaces all earlier data.
    ///
    /// - Parameter data: Valid JSON.
    /// - Returns: The bytes of the event.
    public static func put(_ data: [UInt8]) -> [UInt8] {
        var json = ViewerJSON(reserving: data.count + 64)
        json.raw("event: put\ndata: {\"path\":\"/\",\"data\":")
        json.raw(data)
        json.raw("}\n\n")
        return json.bytes
    }

    public static let keepAlive = Array("event: keep-alive\ndata: null\n\n".utf8)

    private static func write(_ reading: HeartRateReading, to json: inout ViewerJSON) {
        let start = reading.startedAt ?? reading.measuredAt
        JSONObject.write(to: &json) { object, json in
            object.integer("bpm", reading.beatsPerMinute, &json)
            object.text("start", start.iso8601(decimals: 0), &json)
            object.text("end", reading.measuredAt.iso8601(decimals: 0), &json)
            object.text("source", reading.source ?? "watch", &json)
        }
    }
}

extension Timestamp {
    /// Milliseconds since 1970, rounded down.
    public var milliseconds: Int64 {
        microseconds >= 0 ? microseconds / 1000 : (microseconds - 999) / 1000
    }
}
