import SensorModel

extension TextFields {
    /// Writes the payload of ``FrameKind/exactMotion`` with one sample.
    ///
    /// - Returns: Whether the frame has an invalid heart rate; the motion is kept.
    static func motion(
        _ fields: JSONFields, _ payload: inout [UInt8]
    ) throws(FrameRefusal) -> Bool {
        let acceleration = SIMD3(
            try acceleration(.accelerometerX, fields), try acceleration(.accelerometerY, fields),
            try acceleration(.accelerometerZ, fields))
        let rotation = SIMD3(
            try rotation(.gyroscopeX, fields), try rotation(.gyroscopeY, fields),
            try rotation(.gyroscopeZ, fields))
        var traits = MotionTraits.hasRotation
        if fields.has(.gravityIncluded), try fields.optionalBool(.gravityIncluded) == true {
            traits.insert(.includesGravity)
        }
        let tenths = heartRateTenths(fields)
        write(traits, tenths ?? 0, acceleration, rotation, &payload)
        return tenths == nil && fields.has(.heartRate)
    }

    @inline(__always)
    private static func acceleration(
        _ field: JSONField, _ fields: JSONFields
    ) throws(FrameRefusal) -> Float {
        let value = try fields.number(field)
        guard abs(value) <= 32 else { throw .value(.accelerationOutOfRange(g: value)) }
        return Float(value)
    }

    @inline(__always)
    private static func rotation(
        _ field: JSONField, _ fields: JSONFields
    ) throws(FrameRefusal) -> Float {
        let value = try fields.number(field)
        guard abs(value) <= 40 else {
            throw .value(.rotationOutOfRange(radiansPerSecond: value))
        }
        return Float(value)
    }

    /// The heart rate in tenths of a beat per minute; `nil` if it is missing or invalid.
    @inline(__always)
    private static func heartRateTenths(_ fields: JSONFields) -> UInt16? {
        guard fields.form(of: .heartRate) == .number else { return nil }
        let value = fields.rawNumber(.heartRate)
        guard HeartRateSample.validBeatsPerMinute.contains(value) else { return nil }
        return UInt16((value * 10).rounded())
    }

    private static let motionBytes = MotionLayout.headBytes + 24

    /// Writes one sample; every text frame has one, so the payload keeps its size and is
    /// overwritten.
    private static func write(
        _ traits: MotionTraits, _ tenths: UInt16, _ acceleration: SIMD3<Float>,
        _ rotation: SIMD3<Float>, _ payload: inout [UInt8]
    ) {
        if payload.count != motionBytes {
            payload = [UInt8](repeating: 0, count: motionBytes)
        }
        var bytes = payload.mutableSpan
        let head = UInt64(1) | UInt64(traits.rawValue) << 8 | UInt64(tenths) << 16
        bytes.store(head, at: 0)
        bytes.store(pair(acceleration.x, acceleration.y), at: 8)
        bytes.store(pair(acceleration.z, rotation.x), at: 16)
        bytes.store(pair(rotation.y, rotation.z), at: 24)
    }

    @inline(__always)
    private static func pair(_ low: Float, _ high: Float) -> UInt64 {
        UInt64(low.bitPattern) | UInt64(high.bitPattern) << 32
    }

    static func namedKind(
        _ fields: JSONFields, _ text: Span<UInt8>
    ) throws(FrameRefusal) -> FrameKind {
        switch try fields.optionalString(.type, in: text) {
        case "motion": return .exactMotion
        case "location": return .location
        case "heartRate": return .heartRate
        case "control": return .control
        case "pressure": return .pressure
        case "status": return .status
        case "marker": return .marker
        case "source": return .source
        case "measured": return .measured
        case "foreign": return .foreign
        case "hello": return .hello
        default: throw .unknownType
        }
    }

    static func append(
        _ kind: FrameKind, _ fields: JSONFields, _ text: Span<UInt8>, _ payload: inout [UInt8]
    ) throws(FrameRefusal) {
        switch kind {
        case .heartRate:
            FramePayload.encode(.heartRate(try heartRate(fields, text)), to: &payload)
        case .location: FramePayload.encode(.location(try location(fields)), to: &payload)
        case .control: FramePayload.encode(.control(try control(fields, text)), to: &payload)
        case .pressure:
            let value = try fields.number(.hectopascals)
            guard (300.0...1200).contains(value) else {
                throw .value(.pressureOutOfRange(hectopascals: value))
            }
            FramePayload.encode(.pressure(hectopascals: Float(value)), to: &payload)
        case .status: FramePayload.encode(.status(try status(fields)), to: &payload)
        case .marker:
            try append(cleaned: .text, Limits.markerBytesMax, fields, text, &payload)
        case .source:
            try append(cleaned: .source, Limits.sourceBytesMax, fields, text, &payload)
        case .measured:
            FramePayload.encode(.measured(try measured(fields, text)), to: &payload)
        case .foreign: FramePayload.encode(.foreign(try foreign(fields, text)), to: &payload)
        case .motion, .exactMotion, .hello, .welcome, .ack, .command, .error:
            throw .unknownKind(kind.rawValue)
        }
    }

    private static func append(
        cleaned field: JSONField, _ bytesMax: Int, _ fields: JSONFields, _ text: Span<UInt8>,
        _ payload: inout [UInt8]
    ) throws(FrameRefusal) {
        let bytes = try fields.bytes(field, in: text)
        payload.append(contentsOf: try DeviceText.text(in: bytes.span, bytesMax: bytesMax).utf8)
    }

    private static func heartRate(
        _ fields: JSONFields, _ text: Span<UInt8>
    ) throws(FrameRefusal) -> HeartRateSample {
        let value = try fields.number(fields.has(.bpm) ? .bpm : .heartRate)
        let contact: HeartRateSample.Contact =
            switch try fields.optionalBool(.contact) {
            case true?: .on
            case false?: .off
            case nil: .unknown
            }
        let intervals = try rrIntervals(fields, text)
        do {
            return try HeartRateSample(
                beatsPerMinute: value, contact: contact, rrIntervals: intervals)
        } catch { throw .value(error) }
    }

    /// The values of `rrSeconds` in 1/1024 s.
    private static func rrIntervals(
        _ fields: JSONFields, _ text: Span<UInt8>
    ) throws(FrameRefusal) -> [UInt16] {
        guard fields.has(.rrSeconds) else { return [] }
        guard fields.form(of: .rrSeconds) == .array else { throw .wrongType(field: "rrSeconds") }
        var scanner = JSONScanner(position: fields.range(.rrSeconds).start + 1)
        var intervals: [UInt16] = []
        if scanner.peek(text) == UInt8(ascii: "]") { return intervals }
        while let byte = scanner.peek(text) {
            guard byte == UInt8(ascii: "-") || byte &- UInt8(ascii: "0") < 10 else {
                throw .wrongType(field: "rrSeconds")
            }
            let value = try scanner.number(text).value(in: text) * 1024
            guard value >= 0, value.rounded() <= 65535, intervals.count < 255 else {
                throw .rrIntervalOutOfRange
            }
            intervals.append(UInt16(value.rounded()))
            guard scanner.peek(text) == UInt8(ascii: ",") else { break }
            scanner.position += 1
        }
        return intervals
    }

    /// Reads a position; every field is required, and a negative accuracy, speed or course means
    /// unknown.
    private static func location(_ fields: JSONFields) throws(FrameRefusal) -> Location {
        let latitude = try fields.number(.latitude)
        let longitude = try fields.number(.longitude)
        let altitude = try fields.number(.altitude)
        let horizontalAccuracy = try fields.number(.horizontalAccuracy)
        let verticalAccuracy = try fields.number(.verticalAccuracy)
        let speed = try fields.number(.speed)
        let course = try fields.number(.course)
        do {
            return try Location(
                latitude: latitude, longitude: longitude, altitude: altitude,
                horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
                speed: speed, course: course)
        } catch { throw .value(error) }
    }

    private static func control(
        _ fields: JSONFields, _ text: Span<UInt8>
    ) throws(FrameRefusal) -> ControlAction {
        let bytes = try fields.bytes(.action, in: text)
        guard let action = ControlAction(name: String(decoding: bytes, as: UTF8.self)) else {
            throw .controlUnknown
        }
        return action
    }

    private static func status(_ fields: JSONFields) throws(FrameRefusal) -> DeviceStatus {
        let battery = try fields.number(.battery)
        guard (0.0...1).contains(battery) else { throw .batteryOutOfRange }
        return DeviceStatus(
            batteryPercent: UInt8((battery * 100).rounded()),
            charging: try fields.optionalBool(.charging) ?? false)
    }

    private static let measuredFields = MeasuredValues.Quantity.allCases.compactMap { quantity in
        JSONField.allCases.first { $0.name == quantity.name }.map { (quantity, $0) }
    }

    /// Reads measured values, at least one; an unrecognized placement counts as unknown.
    private static func measured(
        _ fields: JSONFields, _ text: Span<UInt8>
    ) throws(FrameRefusal) -> MeasuredValues {
        var values = MeasuredValues()
        for (quantity, field) in measuredFields where fields.has(field) {
            let number = try fields.number(field)
            do { try values.set(quantity, to: number) } catch { throw .value(error) }
        }
        guard !values.isEmpty else { throw .missing(field: "a measured value") }
        if let name = try source(fields, text) {
            values.source = String(decoding: name, as: UTF8.self)
        }
        let placement = try fields.optionalString(.placement, in: text)
        values.placement = placement.flatMap(MeasuredValues.Placement.init(name:))
        return values
    }

    private static func foreign(
        _ fields: JSONFields, _ text: Span<UInt8>
    ) throws(FrameRefusal) -> ForeignMessages {
        let format = try fields.bytes(.format, in: text)
        let digits = try fields.bytes(.data, in: text)
        guard
            let messages = ForeignMessages(
                format: String(decoding: format, as: UTF8.self), digits: digits)
        else { throw .wrongType(field: "data or format") }
        return messages
    }

    /// The source of a heart rate or of measured values, cleaned.
    static func source(_ fields: JSONFields, _ text: Span<UInt8>) throws(FrameRefusal) -> [UInt8]? {
        guard fields.has(.source) else { return nil }
        let bytes = try fields.bytes(.source, in: text)
        return Array(try DeviceText.text(in: bytes.span, bytesMax: Limits.sourceBytesMax).utf8)
    }
}

extension MutableSpan where Element == UInt8 {
    /// Writes little-endian.
    @inline(__always)
    mutating func store(_ word: UInt64, at position: Int) {
        precondition(position >= 0 && position <= count &- 8)
        for index in 0..<8 {
            self[position &+ index] = UInt8(truncatingIfNeeded: word &>> UInt64(8 &* index))
        }
    }
}
