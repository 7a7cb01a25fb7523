public import SensorModel

/// What the body does, as far as motion alone tells, and since when.
public struct MotionActivity: Hashable, Sendable {
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// Not enough motion samples yet, or none for too long.
        case unknown = 0
        /// The sensor lies or hangs quiet: nobody walks.
        case still = 1
        /// Moved, but not by steps: a gesture, a vehicle, a bicycle.
        case moving = 2
        case walking = 3
        case running = 4

        /// The feet move.
        public var isSteps: Bool { self == .walking || self == .running }
    }

    public var kind: Kind
    /// Device time at which this kind began, as far back as the samples prove it; `nil` for unknown.
    public var since: Timestamp?
    /// As strong as steps were before, though not yet sure to be steps.
    public var isVigorous: Bool

    public init(kind: Kind, since: Timestamp?, isVigorous: Bool = false) {
        self.kind = kind
        self.since = since
        self.isVigorous = isVigorous
    }
}
