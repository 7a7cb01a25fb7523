import SensorModel

/// Puts a message together from its head and encoded fragments.
enum MessageWriter {
    static func message(
        type: String, cursor: LogCursor, time: Timestamp, runner: String?,
        fragments: some Sequence<Fragment>
    ) -> EncodedMessage {
        EncodedMessage(
            json: object(
                type: type, cursor: cursor, time: time, runner: runner, fragments: fragments),
            cursor: cursor)
    }

    /// - Parameter type: The value of `type` up to the key of the cursor, which is always next.
    static func object(
        type: String, cursor: LogCursor, time: Timestamp, runner: String?,
        fragments: some Sequence<Fragment>
    ) -> [UInt8] {
        var json = JSONWriter(reserving: 512)
        json.raw("{\"type\":\"")
        json.raw(type)
        json.raw("\":\"")
        json.raw(cursor.description)
        json.raw("\",\"time\":")
        json.number(time.secondsSince1970, decimals: Decimals.time)
        if let runner {
            json.raw(",\"runner\":")
            json.text(runner)
        }
        for fragment in fragments {
            json.raw(",")
            json.raw(fragment.bytes)
        }
        json.raw("}")
        return json.bytes
    }

    /// The same object with `"runner":…` in front.
    static func naming(_ runner: String, in object: [UInt8]) -> [UInt8] {
        var json = JSONWriter(reserving: object.count + runner.utf8.count + 16)
        json.raw("{\"runner\":")
        json.text(runner)
        json.raw(",")
        json.raw(Array(object.dropFirst()))
        return json.bytes
    }
}
