public import SensorModel

/// The body's activity and its start, according to motion alone.
public struct MotionActivity: Hashable, Sendable {
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// Too few motion samples yet, or none for too long.
        case unknown = 0
        /// The sensor is at rest: the wearer is not walking.
        case still = 1
        /// Motion without steps: a gesture, a vehicle, a bicycle.
        case moving = 2
        case walking = 3
        case running = 4

        /// Whether the activity consists of steps.
        public var isSteps: Bool { self == .walking || self == .running }
    }

    public var kind: Kind
    /// Device time of the start, as far back as the samples prove it; `nil` for unknown.
    public var since: Timestamp?
    /// Whether the motion is as strong as earlier steps, though not yet certain to be steps.
    public var isVigorous: Bool

    public init(kind: Kind, since: Timestamp?, isVigorous: Bool = false) {
        self.kind = kind
        self.since = since
        self.isVigorous = isVigorous
    }
}
