public import SensorModel

/// Where the samples of a motion payload lie, so that they are read without an array.
///
/// ```
/// 0x03  u8 count, u8 flags, u16 0,               u32 interval µs, count × 3 [or 6] × i16
/// 0x13  u8 count, u8 flags, u16 beats/min × 10,  u32 interval µs, count × 3 [or 6] × f32
/// ```
public struct MotionLayout: Hashable, Sendable {
    /// Bytes before the first sample.
    static let headBytes = 8
    /// g a step of the wire's acceleration.
    static let accelerationStep: Float = 1.0 / 1024
    /// Steps a rad/s of the wire's rotation; a division, as 1/800 is not a binary fraction.
    static let rotationSteps: Float = 800

    public let count: Int
    public let traits: MotionTraits
    public let intervalMicroseconds: UInt32
    /// Samples as 32-bit floats (``FrameKind/exactMotion``), not 16-bit integers.
    public let exact: Bool
    /// The heart rate that came inside a text frame, beats/min.
    public let heartRate: Double?

    /// Reads the head of a payload and checks that its size fits; the samples are not looked at.
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
        guard exact || tenths == 0 else { throw .reservedNotZero }
        guard count >= 1, count <= Limits.motionSamplesMax else { throw .motionCount(count) }
        guard payload.count == Self.headBytes + count * sampleBytes else {
            throw .payloadSize(bytes: payload.count)
        }
    }

    var sampleBytes: Int {
        (traits.contains(.hasRotation) ? 6 : 3) * (exact ? 4 : 2)
    }

    /// - Parameters:
    ///   - index: From 0, below ``count``.
    ///   - payload: The payload this layout was made of.
    /// - Returns: The sample; on the wire's grid unless ``exact``.
    public func sample(at index: Int, in payload: Span<UInt8>) -> MotionSample {
        let position = Self.headBytes &+ index &* sampleBytes
        guard traits.contains(.hasRotation) else {
            return MotionSample(acceleration: acceleration(at: position, in: payload))
        }
        let rotation =
            exact
            ? floats(at: position &+ 12, in: payload)
            : integers(at: position &+ 6, in: payload) / Self.rotationSteps
        return MotionSample(
            acceleration: acceleration(at: position, in: payload), rotation: rotation)
    }

    /// Calls `body` with every sample in order and its device time; allocates nothing.
    ///
    /// - Parameters:
    ///   - payload: The payload this layout was made of.
    ///   - deviceTime: The header's: that of the first sample.
    ///   - body: Takes one sample and its device time.
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

    @inline(__always)
    private func acceleration(at position: Int, in payload: Span<UInt8>) -> SIMD3<Float> {
        exact
            ? floats(at: position, in: payload)
            : integers(at: position, in: payload) * Self.accelerationStep
    }

    @inline(__always)
    private func floats(at position: Int, in payload: Span<UInt8>) -> SIMD3<Float> {
        SIMD3(
            payload.float32(at: position), payload.float32(at: position &+ 4),
            payload.float32(at: position &+ 8))
    }

    @inline(__always)
    private func integers(at position: Int, in payload: Span<UInt8>) -> SIMD3<Float> {
        SIMD3(
            Float(payload.int16(at: position)), Float(payload.int16(at: position &+ 2)),
            Float(payload.int16(at: position &+ 4)))
    }
}
