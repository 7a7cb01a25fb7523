public import SensorModel

/// The HeartBeatStream schema: what its web viewer reads from `publicStreams/ID`.
public enum PublicStreams {
    /// `{"bpm","start","end","source"}`; `null` while there is none.
    public static func latest(_ reading: HeartRateReading?) -> [UInt8] {
        guard let reading else { return Array("null".utf8) }
        var json = JSONWriter(reserving: 128)
        write(reading, to: &json)
        return json.bytes
    }

    /// An object keyed by milliseconds of the sample's end; `null` when there is none, as the
    /// original says of an empty path.
    public static func history(_ readings: some Sequence<HeartRateReading>) -> [UInt8] {
        var json = JSONWriter(reserving: 4096)
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

    /// The readings that have a key of their own in ``history(_:)``.
    ///
    /// - Parameters:
    ///   - readings: Oldest first.
    ///   - key: The last that came before them.
    /// - Returns: Those, with their keys: milliseconds since 1970.
    public static func keyed(
        _ readings: some Sequence<HeartRateReading>, after key: Int64
    ) -> [(key: Int64, reading: HeartRateReading)] {
        var last = key
        return readings.compactMap { reading in
            let milliseconds = reading.measuredAt.milliseconds
            // One sample is in the metrics of several seconds; a key must come once.
            guard milliseconds > last else { return nil }
            last = milliseconds
            return (milliseconds, reading)
        }
    }

    /// One server-sent event of the Firebase REST streaming form: replaces all there was.
    ///
    /// - Parameter data: JSON.
    /// - Returns: As it goes on the wire.
    public static func put(_ data: [UInt8]) -> [UInt8] {
        var json = JSONWriter(reserving: data.count + 64)
        json.raw("event: put\ndata: {\"path\":\"/\",\"data\":")
        json.raw(data)
        json.raw("}\n\n")
        return json.bytes
    }

    public static let keepAlive = Array("event: keep-alive\ndata: null\n\n".utf8)

    private static func write(_ reading: HeartRateReading, to json: inout JSONWriter) {
        let end = CivilTime.text(reading.measuredAt)
        JSONObject.write(to: &json) { object, json in
            object.integer("bpm", reading.beatsPerMinute, &json)
            object.text("start", end, &json)
            object.text("end", end, &json)
            object.text("source", reading.source ?? "watch", &json)
        }
    }
}

extension Timestamp {
    /// Since 1970, rounded down.
    public var milliseconds: Int64 {
        microseconds >= 0 ? microseconds / 1000 : (microseconds - 999) / 1000
    }
}
