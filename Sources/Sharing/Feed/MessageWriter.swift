import SensorModel

/// What a message is, apart from discrete events, which ``EventEncoder`` spells.
enum MessageType {
    case snapshot(initial: Bool)
    case update
    /// History that a reader asked for is gone.
    case gap
    case end

    /// Begins the object, up to where the cursor follows.
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

/// Puts a message together from its head and encoded fragments.
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
        var json = JSONWriter(reserving: 512)
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

    /// The same object with `"runner":…` in front.
    static func naming(_ runner: String, in object: [UInt8]) -> [UInt8] {
        var json = JSONWriter(reserving: object.count + runner.utf8.count + 16)
        json.raw("{\"runner\":")
        json.text(runner)
        json.raw(",")
        json.raw(object.dropFirst())
        return json.bytes
    }
}
