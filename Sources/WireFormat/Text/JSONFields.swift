import SensorModel

/// A field of a text frame.
enum JSONField: Int, CaseIterable {
    case type, seq, timestamp
    case accelerometerX, accelerometerY, accelerometerZ
    case gyroscopeX, gyroscopeY, gyroscopeZ
    case gravityIncluded
    case latitude, longitude, altitude, horizontalAccuracy, verticalAccuracy, speed, course
    case heartRate, contact, rrSeconds, source, bpm, start, end
    case action, hectopascals, battery, charging, text
    case cadence, pedalCadence, power, stepCount, distance, strideLength
    case groundContact, groundContactPercent, groundContactBalance
    case verticalOscillation, verticalRatio, inclination, energy, placement
    case format, data
    case token, proof, device, session, sentAt, recorded

    var name: String { String(describing: self) }
}

/// The known fields of an object with their values or positions; the last of equal names counts.
struct JSONFields {
    enum Form {
        case absent, number, string, escapedString, bool, null, array, object
    }

    private var forms = InlineArray<56, Form>(repeating: .absent)
    /// For each field: the bits of a number, 0 or 1 for a bool, or the range of the bytes.
    private var slots = InlineArray<56, UInt64>(repeating: 0)
    /// Range of the digits of `sentAt`: a proof signs them as written.
    var sentAt: (start: Int, end: Int) = (0, 0)

    @inline(__always)
    mutating func clear() { forms = InlineArray(repeating: .absent) }

    @inline(__always)
    mutating func set(_ field: Int, number: Double) {
        forms[field] = .number
        slots[field] = number.bitPattern
    }

    mutating func set(_ field: Int, bool: Bool) {
        forms[field] = .bool
        slots[field] = bool ? 1 : 0
    }

    mutating func set(_ field: Int, _ form: Form, from start: Int, to end: Int) {
        forms[field] = form
        slots[field] = UInt64(start) << 32 | UInt64(end)
    }

    @inline(__always)
    func form(of field: JSONField) -> Form { forms[field.rawValue] }

    @inline(__always)
    func has(_ field: JSONField) -> Bool { form(of: field) != .absent }

    /// The number; valid if the form is ``Form/number``.
    @inline(__always)
    func rawNumber(_ field: JSONField) -> Double { Double(bitPattern: slots[field.rawValue]) }

    func range(_ field: JSONField) -> JSONScanner.StringRange {
        let slot = slots[field.rawValue]
        return JSONScanner.StringRange(
            start: Int(slot >> 32), end: Int(slot & 0xFFFF_FFFF),
            escaped: form(of: field) == .escapedString)
    }

    /// - Throws: ``FrameRefusal`` if it is missing, not a number, or too large for a Double.
    @inline(__always)
    func number(_ field: JSONField) throws(FrameRefusal) -> Double {
        guard form(of: field) == .number else { throw refusal(field) }
        let value = rawNumber(field)
        guard value.isFinite else { throw .value(.notFinite) }
        return value
    }

    /// - Throws: ``FrameRefusal`` if it is present and not a bool.
    func optionalBool(_ field: JSONField) throws(FrameRefusal) -> Bool? {
        guard has(field) else { return nil }
        guard form(of: field) == .bool else { throw refusal(field) }
        return slots[field.rawValue] == 1
    }

    func bytes(_ field: JSONField, in text: Span<UInt8>) throws(FrameRefusal) -> [UInt8] {
        switch form(of: field) {
        case .string, .escapedString: try JSONString.bytes(range(field), in: text)
        default: throw refusal(field)
        }
    }

    func optionalString(
        _ field: JSONField, in text: Span<UInt8>
    ) throws(FrameRefusal) -> String? {
        guard has(field) else { return nil }
        return String(decoding: try bytes(field, in: text), as: UTF8.self)
    }

    private func refusal(_ field: JSONField) -> FrameRefusal {
        has(field) ? .wrongType(field: field.name) : .missing(field: field.name)
    }
}
