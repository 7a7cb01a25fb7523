import SensorModel

/// The meaning of an object's fields, by the kind of frame.
enum TextFields {
    /// The kind of a frame; without `type` a heart rate if there is `bpm`, else motion, as the
    /// watch sends it.
    @inline(__always)
    static func kind(_ fields: JSONFields, _ text: Span<UInt8>) throws(FrameRefusal) -> FrameKind {
        guard fields.has(.type) else { return fields.has(.bpm) ? .heartRate : .exactMotion }
        return try namedKind(fields, text)
    }

    static func isText(
        _ field: JSONField, _ expected: String, _ fields: JSONFields, _ text: Span<UInt8>
    ) -> Bool {
        // A field that is not a string does not match either.
        (try? fields.optionalString(field, in: text)) == expected
    }

    @inline(__always)
    static func sequence(_ fields: JSONFields) throws(FrameRefusal) -> FrameSequence {
        guard fields.has(.seq) else { return .none }
        let value = try fields.number(.seq)
        guard value >= 1, value <= Double(UInt32.max), value == value.rounded(.down) else {
            throw .sequenceOutOfRange
        }
        return FrameSequence(rawValue: UInt32(value))
    }

    @inline(__always)
    static func time(_ fields: JSONFields) throws(FrameRefusal) -> Timestamp {
        guard let time = Timestamp(secondsSince1970: try fields.number(.timestamp)) else {
            throw .value(.deviceTimeOutOfRange)
        }
        return time
    }

    /// The time of a heart rate: `timestamp`, or `end` in the form with `bpm`.
    static func heartRateTime(
        _ fields: JSONFields, _ text: Span<UInt8>
    ) throws(FrameRefusal) -> Timestamp {
        guard fields.has(.bpm) else { return try time(fields) }
        _ = try date(.start, fields, text)
        return try date(.end, fields, text)
    }

    private static func date(
        _ field: JSONField, _ fields: JSONFields, _ text: Span<UInt8>
    ) throws(FrameRefusal) -> Timestamp {
        let bytes = try fields.bytes(field, in: text)
        guard let time = Timestamp(iso8601: bytes.span) else {
            throw .dateNotISO8601(field: field.name)
        }
        return time
    }

    static func hello(_ fields: JSONFields, _ text: Span<UInt8>) throws(FrameRefusal) -> Hello {
        let bytes = try fields.bytes(.session, in: text)
        let sessionText = String(decoding: bytes, as: UTF8.self)
        guard let session = SessionID(sessionText) else {
            throw .sessionNotUUID
        }
        let sentAt = fields.has(.sentAt) ? try fields.number(.sentAt) : nil
        var digits: [UInt8] = []
        if sentAt != nil {
            for position in fields.sentAt.start..<fields.sentAt.end {
                digits.append(text[position])
            }
        }
        return Hello(
            token: try fields.optionalString(.token, in: text),
            proof: try fields.optionalString(.proof, in: text),
            device: try fields.optionalString(.device, in: text),
            session: session, sessionText: sessionText, sentAt: sentAt,
            sentAtText: String(decoding: digits, as: UTF8.self),
            recorded: try fields.optionalBool(.recorded) ?? false)
    }
}
