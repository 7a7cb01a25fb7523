import Bytes
public import SensorModel

/// Checks whether the values in a frame's bytes are possible, without an allocation for motion,
/// heart rates and positions.
public enum FrameValidation {
    /// Longest batch, ten minutes: the pipeline passes each of its seconds one by one.
    static let batchMicrosecondsMax: Int64 = 600_000_000
    static let pressureRange: ClosedRange<Float> = 300...1200
    static let heartRateTenths: ClosedRange<UInt16> = 200...2500
    static let latitudeRange: ClosedRange<Int32> = -900_000_000...900_000_000
    static let longitudeRange: ClosedRange<Int32> = -1_800_000_000...1_800_000_000
    static let altitudeRange: ClosedRange<Int32> = -50_000...900_000
    /// ±40 rad/s in units of 1/800; every 16-bit acceleration is within ±32 g.
    static let rotationRange: ClosedRange<Int16> = -32_000...32_000

    /// - Parameters:
    ///   - header: From ``BinaryFrame/header(of:)`` or a text frame.
    ///   - payload: The bytes after the header.
    ///   - arrivalTime: The daemon's clock at the frame's arrival.
    ///   - recorded: The hello's flag: the device time may then be any time after 2000.
    /// - Throws: The first error found.
    public static func check(
        _ header: FrameHeader, payload: Span<UInt8>, arrivalTime: Timestamp, recorded: Bool
    ) throws(FrameRefusal) {
        switch header.kind {
        case .motion, .exactMotion:
            let layout = try MotionLayout(kind: header.kind, payload: payload)
            try checkMotion(layout, payload)
            // The limits on time apply to the last sample too.
            let duration = Int64(layout.intervalMicroseconds) * Int64(layout.count - 1)
            guard duration <= batchMicrosecondsMax else {
                throw .motionDuration(microseconds: duration)
            }
            try checkDeviceTime(
                header.deviceTime, lastsMicroseconds: duration, arrivalTime: arrivalTime,
                recorded: recorded)
            return
        case .heartRate: try checkHeartRate(payload)
        case .location: try checkLocation(payload)
        case .marker: try DeviceText.check(payload, bytesMax: Limits.markerBytesMax)
        case .source: try DeviceText.check(payload, bytesMax: Limits.sourceBytesMax)
        // Decoding these allocates nothing, or little and rarely.
        default: _ = try FramePayload.value(of: header.kind, in: payload)
        }
        try checkDeviceTime(
            header.deviceTime, lastsMicroseconds: 0, arrivalTime: arrivalTime, recorded: recorded)
    }

    static func checkDeviceTime(
        _ time: Timestamp, lastsMicroseconds: Int64, arrivalTime: Timestamp, recorded: Bool
    ) throws(FrameRefusal) {
        let latest =
            recorded
            ? latestRecordedTime
            : arrivalTime.advanced(byMicroseconds: Limits.deviceTimeAheadMicroseconds)
        guard time >= .earliestDeviceTime, time <= latest,
            time.advanced(byMicroseconds: lastsMicroseconds) <= latest
        else { throw .value(.deviceTimeOutOfRange) }
    }

    /// The year 2262, the last full year of 64-bit nanoseconds, which other formats use.
    private static let latestRecordedTime = Timestamp(microseconds: 9_214_646_400_000_000)

    static func checkHeartRate(_ payload: Span<UInt8>) throws(FrameRefusal) {
        guard payload.count >= 4, payload.count == 4 + 2 * Int(payload[3]) else {
            throw .payloadSize(bytes: payload.count)
        }
        let tenths = payload.uint16(at: 0)
        guard heartRateTenths.contains(tenths) else {
            throw .value(.heartRateOutOfRange(beatsPerMinute: Double(tenths) / 10))
        }
        guard payload[2] <= 2 else { throw .contactUnknown(payload[2]) }
    }

    private static func checkLocation(_ payload: Span<UInt8>) throws(FrameRefusal) {
        guard payload.count == FramePayload.locationBytes else {
            throw .payloadSize(bytes: payload.count)
        }
        let latitude = payload.int32(at: 0)
        guard latitudeRange.contains(latitude) else {
            throw .value(.latitudeOutOfRange(degrees: Double(latitude) / 1e7))
        }
        let longitude = payload.int32(at: 4)
        guard longitudeRange.contains(longitude) else {
            throw .value(.longitudeOutOfRange(degrees: Double(longitude) / 1e7))
        }
        let altitude = payload.int32(at: 8)
        guard altitudeRange.contains(altitude) || altitude == FramePayload.unknownAltitude else {
            throw .value(.altitudeOutOfRange(meters: Double(altitude) / 100))
        }
    }

    static func checkMotion(
        _ layout: MotionLayout, _ payload: Span<UInt8>
    ) throws(FrameRefusal) {
        if layout.exact { return try checkExactMotion(layout, payload) }
        guard layout.traits.contains(.hasRotation) else { return }
        var position = MotionLayout.headBytes + 6
        for _ in 0..<layout.count {
            let first = payload.uint32(at: position)
            try checkRotation(Int16(truncatingIfNeeded: first))
            try checkRotation(Int16(truncatingIfNeeded: first &>> 16))
            try checkRotation(payload.int16(at: position &+ 4))
            position &+= 12
        }
    }

    @inline(__always)
    private static func checkRotation(_ raw: Int16) throws(FrameRefusal) {
        guard rotationRange.contains(raw) else {
            throw .value(
                .rotationOutOfRange(
                    radiansPerSecond: Double(Float(raw) / MotionLayout.rotationSteps)))
        }
    }

    private static func checkExactMotion(
        _ layout: MotionLayout, _ payload: Span<UInt8>
    ) throws(FrameRefusal) {
        if let heartRate = layout.heartRate,
            !HeartRateSample.validBeatsPerMinute.contains(heartRate)
        {
            throw .value(.heartRateOutOfRange(beatsPerMinute: heartRate))
        }
        for index in 0..<layout.count {
            let sample = layout.sample(at: index, in: payload)
            for axis in 0..<3 {
                let acceleration = sample.acceleration[axis]
                let rotation = sample.rotation[axis]
                guard acceleration.isFinite, rotation.isFinite else { throw .value(.notFinite) }
                guard MotionSample.validAcceleration.contains(acceleration) else {
                    throw .value(.accelerationOutOfRange(g: Double(acceleration)))
                }
                guard MotionSample.validRotation.contains(rotation) else {
                    throw .value(.rotationOutOfRange(radiansPerSecond: Double(rotation)))
                }
            }
        }
    }
}
