/// Acceleration and, with a gyroscope, rotation at one moment, in the device's own axes.
///
/// 32-bit floats hold every value of the binary wire exactly, and six decimals of a text frame.
public struct MotionSample: Hashable, Sendable {
    /// Valid acceleration of each axis, g.
    public static let validAcceleration: ClosedRange<Float> = -32...32
    /// Valid rotation of each axis, rad/s.
    public static let validRotation: ClosedRange<Float> = -40...40

    /// g.
    public var acceleration: SIMD3<Float>
    /// rad/s; zero if the device has no gyroscope.
    public var rotation: SIMD3<Float>

    @inlinable
    public init(acceleration: SIMD3<Float>, rotation: SIMD3<Float> = .zero) {
        self.acceleration = acceleration
        self.rotation = rotation
    }
}

/// Properties of all samples of a batch.
public struct MotionTraits: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The device has a gyroscope: `rotation` was measured.
    public static let hasRotation = MotionTraits(rawValue: 1)
    /// The acceleration includes gravity: at rest it is 1 g long, not 0.
    public static let includesGravity = MotionTraits(rawValue: 2)
}
