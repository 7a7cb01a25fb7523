import Bytes
public import SensorModel

extension FramePayload {
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
        }
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

extension MotionBatch {
    /// Whether the wire's 16-bit integers hold the whole batch exactly.
    var isOnWireGrid: Bool {
        guard heartRate == nil else { return false }
        return samples.allSatisfy { sample in
            Self.isExact(sample.acceleration, perStep: MotionLayout.accelerationStep)
                && (!traits.contains(.hasRotation)
                    || Self.isExact(sample.rotation, steps: MotionLayout.rotationSteps))
        }
    }

    private static func isExact(_ axes: SIMD3<Float>, perStep step: Float) -> Bool {
        isExact(axes, raw: axes / step) { $0 * step }
    }

    private static func isExact(_ axes: SIMD3<Float>, steps: Float) -> Bool {
        isExact(axes, raw: axes * steps) { $0 / steps }
    }

    private static func isExact(
        _ axes: SIMD3<Float>, raw: SIMD3<Float>, _ decoded: (SIMD3<Float>) -> SIMD3<Float>
    ) -> Bool {
        let integers = raw.rounded(.toNearestOrAwayFromZero)
        for axis in 0..<3 where !(-32768.0...32767.0).contains(integers[axis]) { return false }
        let back = decoded(integers)
        // Bits, not values: an integer turns -0.0 into 0.
        for axis in 0..<3 where back[axis].bitPattern != axes[axis].bitPattern { return false }
        return true
    }
}
