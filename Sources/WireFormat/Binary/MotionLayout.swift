import Bytes
public import SensorModel

/// The positions of the samples in a motion payload, for reads without an array.
///
/// ```
/// 0x03  u8 count, u8 flags, u16 0,               u32 interval µs, count × 3 [or 6] × i16
/// 0x13  u8 count, u8 flags, u16 beats/min × 10,  u32 interval µs, count × 3 [or 6] × f32
/// ```
public struct MotionLayout: Hashable, Sendable {
    /// Bytes before the first sample.
    static let headBytes = 8
    /// g in one step of the wire's acceleration.
    static let accelerationStep: Float = 1.0 / 1024
    /// Steps of the wire's rotation in 1 rad/s; a divisor, as 1/800 is not a binary fraction.
    static let rotationSteps: Float = 800

    public let count: Int
    public let traits: MotionTraits
    public let intervalMicroseconds: UInt32
    /// Whether samples are 32-bit floats (``FrameKind/exactMotion``), not 16-bit integers.
    public let exact: Bool
    /// Heart rate from the same text frame, beats/min.
    public let heartRate: Double?
    private let hasRotation: Bool
    private let sampleBytes: Int

    /// Reads the head of a payload and checks its size; the samples are not checked.
    public init(kind: FrameKind, payload: Span<UInt8>) throws(FrameRefusal) {
        guard payload.count >= Self.headBytes else {
            throw .payloadSize(bytes: payload.count)
        }
        let flags = payload[1]
        guard flags & ~3 == 0 else { throw .reservedNotZero }
        count = Int(payload[0])
        traits = MotionTraits(rawValue: flags)
        intervalMicroseconds = payload.uint32(at: 4)
        exact = kind == .exactMotion
        let tenths = payload.uint16(at: 2)
        heartRate = exact && tenths > 0 ? Double(tenths) / 10 : nil
        hasRotation = flags & 1 == 1
        sampleBytes = (hasRotation ? 6 : 3) * (exact ? 4 : 2)
        guard exact || tenths == 0 else { throw .reservedNotZero }
        guard count >= 1, count <= Limits.motionSamplesMax else { throw .motionCount(count) }
        guard payload.count == Self.headBytes + count * sampleBytes else {
            throw .payloadSize(bytes: payload.count)
        }
    }

    /// - Parameters:
    ///   - index: The sample's index, from 0, below ``count``.
    ///   - payload: The payload of this layout.
    /// - Returns: The sample; on the wire's grid unless ``exact``.
    @inline(__always)
    public func sample(at index: Int, in payload: Span<UInt8>) -> MotionSample {
        let position = Self.headBytes &+ index &* sampleBytes
        if exact { return floats(at: position, in: payload) }
        guard hasRotation else {
            return MotionSample(
                acceleration: Self.acceleration(
                    UInt64(payload.uint32(at: position))
                        | UInt64(payload.uint16(at: position &+ 4)) &<< 32))
        }
        let low = payload.uint64(at: position)
        let high = payload.uint32(at: position &+ 8)
        let rotation = SIMD3(
            Float(Int16(truncatingIfNeeded: low &>> 48)), Float(Int16(truncatingIfNeeded: high)),
            Float(Int16(truncatingIfNeeded: high &>> 16)))
        return MotionSample(
            acceleration: Self.acceleration(low), rotation: rotation / Self.rotationSteps)
    }

    /// Calls `body` with every sample in order and its device time; allocates nothing.
    ///
    /// - Parameters:
    ///   - payload: The payload of this layout.
    ///   - deviceTime: The device time in the header, which is the first sample's.
    ///   - body: Receives one sample and its device time.
    public func forEachSample(
        in payload: Span<UInt8>, from deviceTime: Timestamp,
        _ body: (MotionSample, Timestamp) -> Void
    ) {
        var time = deviceTime
        for index in 0..<count {
            body(sample(at: index, in: payload), time)
            time = time.advanced(byMicroseconds: Int64(intervalMicroseconds))
        }
    }

    /// The acceleration, in g, of three 16-bit integers, the first one lowest.
    @inline(__always)
    private static func acceleration(_ word: UInt64) -> SIMD3<Float> {
        SIMD3(
            Float(Int16(truncatingIfNeeded: word)), Float(Int16(truncatingIfNeeded: word &>> 16)),
            Float(Int16(truncatingIfNeeded: word &>> 32))) * accelerationStep
    }

    @inline(__always)
    private func floats(at position: Int, in payload: Span<UInt8>) -> MotionSample {
        let acceleration = SIMD3(
            payload.float32(at: position), payload.float32(at: position &+ 4),
            payload.float32(at: position &+ 8))
        guard hasRotation else { return MotionSample(acceleration: acceleration) }
        return MotionSample(
            acceleration: acceleration,
            rotation: SIMD3(
                payload.float32(at: position &+ 12), payload.float32(at: position &+ 16),
                payload.float32(at: position &+ 20)))
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
        // Compare bits, not values: an integer turns -0.0 into 0.
        for axis in 0..<3 where back[axis].bitPattern != axes[axis].bitPattern { return false }
        return true
    }
}
