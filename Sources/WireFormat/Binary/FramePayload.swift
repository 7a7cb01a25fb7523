import Bytes
public import SensorModel

/// Conversion between payload bytes and values, for the wire and the log, which differ only in the
/// log's ``FrameKind/exactMotion``.
///
/// These values mean "unknown": an altitude of `Int32.min`, an accuracy or course of 65535, a
/// negative speed, and a battery of 255.
public enum FramePayload {
    static let unknownAltitude = Int32.min
    static let unknownBattery: UInt8 = 255
    static let unknown16: UInt16 = 65535
    static let locationBytes = 20

    /// - Parameters:
    ///   - header: The header of a recordable frame.
    ///   - payload: The payload from the wire or the log.
    /// - Returns: The frame as values.
    /// - Throws: ``FrameRefusal`` in the cases of
    ///   ``FrameValidation/check(_:payload:arrivalTime:recorded:)``, except for the device time.
    public static func decode(
        _ header: FrameHeader, payload: Span<UInt8>
    ) throws(FrameRefusal) -> Frame {
        Frame(
            sequence: header.sequence, deviceTime: header.deviceTime,
            payload: try value(of: header.kind, in: payload))
    }

    /// - Returns: The values in a payload of the wire or the log.
    /// - Throws: ``FrameRefusal``, as ``decode(_:payload:)``.
    public static func value(
        of kind: FrameKind, in payload: Span<UInt8>
    ) throws(FrameRefusal) -> Frame.Payload {
        switch kind {
        case .heartRate: return .heartRate(try heartRate(in: payload))
        case .motion, .exactMotion: return .motion(try motion(kind, in: payload))
        case .location: return .location(try location(in: payload))
        case .control: return .control(try control(in: payload))
        case .pressure: return .pressure(hectopascals: try pressure(in: payload))
        case .status: return .status(try status(in: payload))
        case .marker:
            return .marker(try DeviceText.text(in: payload, bytesMax: Limits.markerBytesMax))
        case .source:
            return .source(try DeviceText.text(in: payload, bytesMax: Limits.sourceBytesMax))
        case .measured: return .measured(try measured(in: payload))
        case .foreign: return .foreign(try foreign(in: payload))
        case .hello, .welcome, .ack, .command, .error: throw .unknownKind(kind.rawValue)
        }
    }

    public static func heartRate(
        in payload: Span<UInt8>
    ) throws(FrameRefusal) -> HeartRateSample {
        try FrameValidation.checkHeartRate(payload)
        var intervals: [UInt16] = []
        intervals.reserveCapacity(Int(payload[3]))
        for index in 0..<Int(payload[3]) {
            intervals.append(payload.uint16(at: 4 + index * 2))
        }
        do {
            return try HeartRateSample(
                beatsPerMinute: Double(payload.uint16(at: 0)) / 10,
                contact: HeartRateSample.Contact(rawValue: payload[2]) ?? .unknown,
                rrIntervals: intervals)
        } catch { throw .value(error) }
    }

    /// All samples as values; the hot path uses ``MotionLayout`` instead.
    public static func motion(
        _ kind: FrameKind, in payload: Span<UInt8>
    ) throws(FrameRefusal) -> MotionBatch {
        let layout = try MotionLayout(kind: kind, payload: payload)
        var samples: [MotionSample] = []
        samples.reserveCapacity(layout.count)
        for index in 0..<layout.count {
            samples.append(layout.sample(at: index, in: payload))
        }
        try FrameValidation.checkMotion(layout, payload)
        return MotionBatch(
            traits: layout.traits, intervalMicroseconds: layout.intervalMicroseconds,
            samples: samples, heartRate: layout.heartRate)
    }

    public static func location(in payload: Span<UInt8>) throws(FrameRefusal) -> Location {
        guard payload.count == locationBytes else { throw .payloadSize(bytes: payload.count) }
        let altitude = payload.int32(at: 8)
        let course = payload.uint16(at: 18)
        do {
            return try Location(
                latitude: Double(payload.int32(at: 0)) / 1e7,
                longitude: Double(payload.int32(at: 4)) / 1e7,
                altitude: altitude == unknownAltitude ? nil : Double(altitude) / 100,
                horizontalAccuracy: known(payload.uint16(at: 12), steps: 10),
                verticalAccuracy: known(payload.uint16(at: 14), steps: 10),
                speed: Double(payload.int16(at: 16)) / 100,
                // The integer loses full turns first, so that the result stays on the grid.
                course: course == unknown16 ? nil : Double(course % 36_000) / 100)
        } catch { throw .value(error) }
    }

    public static func control(in payload: Span<UInt8>) throws(FrameRefusal) -> ControlAction {
        guard payload.count == 1 else { throw .payloadSize(bytes: payload.count) }
        guard let action = ControlAction(rawValue: payload[0]) else { throw .controlUnknown }
        return action
    }

    /// The pressure in hectopascals.
    public static func pressure(in payload: Span<UInt8>) throws(FrameRefusal) -> Float {
        guard payload.count == 4 else { throw .payloadSize(bytes: payload.count) }
        let value = payload.float32(at: 0)
        guard value.isFinite else { throw .value(.notFinite) }
        guard FrameValidation.pressureRange.contains(value) else {
            throw .value(.pressureOutOfRange(hectopascals: Double(value)))
        }
        return value
    }

    public static func status(in payload: Span<UInt8>) throws(FrameRefusal) -> DeviceStatus {
        guard payload.count == 2 else { throw .payloadSize(bytes: payload.count) }
        guard payload[0] <= 100 || payload[0] == unknownBattery else { throw .batteryOutOfRange }
        guard payload[1] & ~1 == 0 else { throw .reservedNotZero }
        return DeviceStatus(
            batteryPercent: payload[0] == unknownBattery ? nil : payload[0],
            charging: payload[1] == 1)
    }

    /// Decodes measured values.
    ///
    /// ```
    /// u8 placement (0: unknown), u8 n, n × (u8 quantity, i32 in steps of its grid),
    /// source in UTF-8
    /// ```
    ///
    /// Unknown quantities and placements, from later programs, are ignored. If a quantity occurs
    /// twice, the last value counts.
    public static func measured(in payload: Span<UInt8>) throws(FrameRefusal) -> MeasuredValues {
        guard payload.count >= 2 else { throw .payloadSize(bytes: payload.count) }
        let count = Int(payload[1])
        let end = 2 + measuredValueBytes * count
        guard (1...measuredValuesMax).contains(count), payload.count >= end else {
            throw .payloadSize(bytes: payload.count)
        }
        var values = MeasuredValues()
        values.placement = MeasuredValues.Placement(rawValue: payload[0])
        for index in 0..<count {
            let place = 2 + measuredValueBytes * index
            guard let quantity = MeasuredValues.Quantity(rawValue: payload[place]) else { continue }
            do {
                try values.set(quantity, grid: payload.int32(at: place + 1))
            } catch { throw .value(error) }
        }
        guard !values.isEmpty else { throw .missing(field: "a measured value") }
        if payload.count > end {
            values.source = try DeviceText.text(
                in: payload.extracting(end...), bytesMax: Limits.sourceBytesMax)
        }
        return values
    }

    public static func foreign(in payload: Span<UInt8>) throws(FrameRefusal) -> ForeignMessages {
        guard payload.count > 1 else { throw .payloadSize(bytes: payload.count) }
        guard let format = ForeignMessages.Format(rawValue: payload[0]) else { throw .unknownType }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count - 1)
        for index in 1..<payload.count { bytes.append(payload[index]) }
        return ForeignMessages(format: format, bytes: bytes)
    }

    private static let measuredValueBytes = 5
    /// Room for quantities of later programs.
    private static let measuredValuesMax = 64

    private static func known(_ raw: UInt16, steps: Double) -> Double? {
        raw == unknown16 ? nil : Double(raw) / steps
    }

    // MARK: Encoding

    /// Appends the log's form, which is lossless.
    ///
    /// Motion becomes ``FrameKind/motion`` if every sample lies on the wire's grid and the batch
    /// has no heart rate, else ``FrameKind/exactMotion``.
    ///
    /// - Parameters:
    ///   - payload: A payload within the ranges of its type.
    ///   - bytes: Receives the payload.
    /// - Returns: The kind for the header.
    @discardableResult
    public static func encode(_ payload: Frame.Payload, to bytes: inout [UInt8]) -> FrameKind {
        var kind = wireKind(of: payload)
        if case .motion(let batch) = payload, !batch.isOnWireGrid { kind = .exactMotion }
        encode(payload, as: kind, to: &bytes)
        return kind
    }

    static func wireKind(of payload: Frame.Payload) -> FrameKind {
        switch payload {
        case .heartRate: .heartRate
        case .motion: .motion
        case .location: .location
        case .control: .control
        case .pressure: .pressure
        case .status: .status
        case .marker: .marker
        case .source: .source
        case .measured: .measured
        case .foreign: .foreign
        }
    }

    static func encode(_ payload: Frame.Payload, as kind: FrameKind, to bytes: inout [UInt8]) {
        switch payload {
        case .heartRate(let sample): append(sample, to: &bytes)
        case .motion(let batch): append(batch, as: kind, to: &bytes)
        case .location(let location): append(location, to: &bytes)
        case .control(let action): bytes.append(action.rawValue)
        case .pressure(let hectopascals): bytes.appendLittleEndian(hectopascals)
        case .status(let status):
            bytes.append(status.batteryPercent ?? unknownBattery)
            bytes.append(status.charging ? 1 : 0)
        case .marker(let text), .source(let text): bytes.append(contentsOf: text.utf8)
        case .measured(let values): append(values, to: &bytes)
        case .foreign(let messages):
            bytes.append(messages.format.rawValue)
            bytes += messages.bytes
        }
    }

    private static func append(_ values: MeasuredValues, to bytes: inout [UInt8]) {
        bytes.append(values.placement?.rawValue ?? 0)
        bytes.append(UInt8(values.gridValues.count))
        for quantity in values.quantities {
            bytes.append(quantity.rawValue)
            bytes.appendLittleEndian(values.gridValues[quantity] ?? 0)
        }
        if let source = values.source { bytes.append(contentsOf: source.utf8) }
    }

    private static func append(_ sample: HeartRateSample, to bytes: inout [UInt8]) {
        let intervals = sample.rrIntervals.prefix(255)
        bytes.appendLittleEndian(UInt16((sample.beatsPerMinute * 10).rounded()))
        bytes.append(sample.contact.rawValue)
        bytes.append(UInt8(intervals.count))
        for interval in intervals { bytes.appendLittleEndian(interval) }
    }

    private static func append(
        _ batch: MotionBatch, as kind: FrameKind, to bytes: inout [UInt8]
    ) {
        precondition((1...Limits.motionSamplesMax).contains(batch.samples.count))
        let exact = kind == .exactMotion
        let tenths = exact ? batch.heartRate.map { UInt16(($0 * 10).rounded()) } : nil
        bytes.append(UInt8(batch.samples.count))
        bytes.append(batch.traits.rawValue)
        bytes.appendLittleEndian(tenths ?? 0)
        bytes.appendLittleEndian(batch.intervalMicroseconds)
        let hasRotation = batch.traits.contains(.hasRotation)
        for sample in batch.samples {
            if exact {
                append(sample.acceleration, to: &bytes)
                if hasRotation { append(sample.rotation, to: &bytes) }
            } else {
                append(sample.acceleration, steps: 1 / MotionLayout.accelerationStep, to: &bytes)
                if hasRotation {
                    append(sample.rotation, steps: MotionLayout.rotationSteps, to: &bytes)
                }
            }
        }
    }

    private static func append(_ axes: SIMD3<Float>, to bytes: inout [UInt8]) {
        for axis in 0..<3 { bytes.appendLittleEndian(axes[axis]) }
    }

    private static func append(_ axes: SIMD3<Float>, steps: Float, to bytes: inout [UInt8]) {
        for axis in 0..<3 {
            // 32 g is one step above the range of 16 bits.
            bytes.appendLittleEndian(Int16(clamping: Int((axes[axis] * steps).rounded())))
        }
    }

    private static func append(_ location: Location, to bytes: inout [UInt8]) {
        bytes.appendLittleEndian(Int32((location.latitude * 1e7).rounded()))
        bytes.appendLittleEndian(Int32((location.longitude * 1e7).rounded()))
        let altitude = location.altitude.map { Int32(($0 * 100).rounded()) }
        bytes.appendLittleEndian(altitude ?? unknownAltitude)
        bytes.appendLittleEndian(raw(location.horizontalAccuracy, steps: 10))
        bytes.appendLittleEndian(raw(location.verticalAccuracy, steps: 10))
        bytes.appendLittleEndian(location.speed.map { Int16(($0 * 100).rounded()) } ?? -1)
        bytes.appendLittleEndian(raw(location.course, steps: 100))
    }

    private static func raw(_ value: Double?, steps: Double) -> UInt16 {
        value.map { UInt16(($0 * steps).rounded()) } ?? unknown16
    }
}
