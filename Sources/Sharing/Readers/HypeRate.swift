import SensorModel

/// HypeRate's socket protocol: Phoenix channels, version 1, JSON objects.
public enum HypeRate {
    /// - Parameters:
    ///   - identifier: The identifier of the client's join, which the answer repeats.
    ///   - reading: The heart rate; unless it is live or paused, the device is offline: `null`.
    /// - Returns: `{"topic":"hr:ID","event":"hr_update","payload":{"hr":79},"ref":null}`
    public static func update(identifier: String, _ reading: HeartRateReading?) -> [UInt8] {
        message(topic: "hr:" + identifier, event: "hr_update", reference: nil) { json in
            json.raw("{\"hr\":")
            if let reading, reading.state == .live || reading.state == .paused {
                json.integer(Int64(reading.beatsPerMinute))
            } else {
                json.raw("null")
            }
            json.raw("}")
        }
    }

    /// The answer to `phx_join`, `phx_leave` and `heartbeat`.
    ///
    /// - Parameters:
    ///   - topic: Topic of the request.
    ///   - reference: Reference of the request, as JSON; `nil`: it had none.
    ///   - accepted: `false` gives an error, the same for every reason.
    /// - Returns: The JSON object.
    public static func reply(topic: String, reference: Int?, accepted: Bool) -> [UInt8] {
        message(topic: topic, event: "phx_reply", reference: reference) { json in
            json.raw(
                accepted
                    ? "{\"status\":\"ok\",\"response\":{}}"
                    : "{\"status\":\"error\",\"response\":{\"reason\":\"unmatched topic\"}}")
        }
    }

    private static func message(
        topic: String, event: String, reference: Int?, payload: (inout ViewerJSON) -> Void
    ) -> [UInt8] {
        var json = ViewerJSON(reserving: 128)
        JSONObject.write(to: &json) { object, json in
            object.text("topic", topic, &json)
            object.text("event", event, &json)
            object.key("payload", &json)
            payload(&json)
            object.key("ref", &json)
            if let reference { json.integer(Int64(reference)) } else { json.raw("null") }
        }
        return json.bytes
    }
}
