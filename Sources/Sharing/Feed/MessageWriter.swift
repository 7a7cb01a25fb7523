import SensorModel

/// The type of a message, except discrete events, which ``EventEncoder`` encodes.
enum MessageType {
    case snapshot(initial: Bool)
    case update
    /// History that a reader requested was deleted.
    case gap
    case end

    /// The start of the object, up to the cursor.
    fileprivate var opening: String {
        switch self {
        case .snapshot(initial: true): "{\"type\":\"snapshot\",\"initial\":true"
        case .snapshot(initial: false): "{\"type\":\"snapshot\""
        case .update: "{\"type\":\"update\""
        case .gap: "{\"type\":\"gap\""
        case .end: "{\"type\":\"end\""
        }
    }
}

/// Builds a message from its head and encoded fragments.
enum MessageWriter {
    static func message(
        _ type: MessageType, cursor: LogCursor, time: Timestamp, runner: String?,
        fragments: some Sequence<Fragment>
    ) -> EncodedMessage {
        EncodedMessage(
            json: object(type, cursor: cursor, time: time, runner: runner, fragments: fragments),
            cursor: cursor)
    }

    static func object(
        _ type: MessageType, cursor: LogCursor, time: Timestamp, runner: String?,
        fragments: some Sequence<Fragment>
    ) -> [UInt8] {
        var json = ViewerJSON(reserving: 512)
        json.raw(type.opening)
        json.raw(",\"cursor\":\"")
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

    /// Returns the object with `"runner":…` inserted at the start.
    static func naming(_ runner: String, in object: [UInt8]) -> [UInt8] {
        var json = ViewerJSON(reserving: object.count + runner.utf8.count + 16)
        json.raw("{\"runner\":")
        json.text(runner)
        json.raw(",")
        json.raw(object.dropFirst())
        return json.bytes
    }
}
