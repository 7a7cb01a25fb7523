/// A derived fact about a session; the log keeps the order.
public struct StreamEvent: Hashable, Sendable {
    /// Device time at which the event became known.
    public var deviceTime: Timestamp
    public var kind: Kind

    public init(deviceTime: Timestamp, kind: Kind) {
        self.deviceTime = deviceTime
        self.kind = kind
    }

    public enum Kind: Hashable, Sendable {
        /// All metrics at a whole second of device time, or at a change of state.
        case metrics(Metrics)
        case marker(String)
        /// A pause that is known now and began at `since`, which is not after it.
        case paused(since: Timestamp, automatic: Bool)
        /// A resumption that is known now and happened at `since`.
        case resumed(since: Timestamp, automatic: Bool)
        case split(Split)
        case zoneChanged(from: Int?, to: Int)
        case lap(Lap)
        case intervalStarted(IntervalStart)
        /// The phase ends in about `seconds`: for a spoken countdown.
        case intervalEnding(number: Int, seconds: Double)
        case intervalEnded(Interval)
        /// A checkpoint of the followed course; one event for each checkpoint.
        case checkpointReached(CheckpointReached)
        case alert(Alert)
        /// The device's sequences `from`…`to` never came.
        case gap(from: FrameSequence, to: FrameSequence)
        /// Amends an earlier event, whose record stays.
        case correction(Correction)
        /// The heart rate now comes from another source.
        case sourceChanged(from: String?, to: String)
        case ended
    }
}

/// One full kilometer or mile.
public struct Split: Hashable, Sendable {
    /// Maximum number of splits of a unit that one step of a track completes: nobody runs further
    /// between two fixes, and each split is an event.
    package static let atOnceMax = 50

    public enum Unit: UInt8, Sendable {
        case kilometer = 0
        case mile = 1
    }

    public var unit: Unit
    /// Number, from 1.
    public var number: Int
    /// Moving seconds, interpolated at both marks.
    public var seconds: Double
    public var averageHeartRate: Double?
    /// Net elevation change.
    public var elevationMeters: Double?

    public init(
        unit: Unit, number: Int, seconds: Double, averageHeartRate: Double?,
        elevationMeters: Double?
    ) {
        self.unit = unit
        self.number = number
        self.seconds = seconds
        self.averageHeartRate = averageHeartRate
        self.elevationMeters = elevationMeters
    }
}

public struct Lap: Hashable, Sendable {
    /// Number, from 1.
    public var number: Int
    /// Moving seconds.
    public var seconds: Double
    public var distanceMeters: Double?
    public var averageHeartRate: Double?

    public init(number: Int, seconds: Double, distanceMeters: Double?, averageHeartRate: Double?) {
        self.number = number
        self.seconds = seconds
        self.distanceMeters = distanceMeters
        self.averageHeartRate = averageHeartRate
    }
}

/// The start of a phase of the runner's plan.
public struct IntervalStart: Hashable, Sendable {
    /// Number of the phase, from 1.
    public var number: Int
    /// Phases in the plan.
    public var count: Int
    public var goal: IntervalPlan.Phase
    /// Interpolated start; not after the event's own time.
    public var since: Timestamp

    public init(number: Int, count: Int, goal: IntervalPlan.Phase, since: Timestamp) {
        self.number = number
        self.count = count
        self.goal = goal
        self.since = since
    }
}

/// A finished phase of the runner's plan.
public struct Interval: Hashable, Sendable {
    /// Number of the phase, from 1.
    public var number: Int
    /// Phases in the plan.
    public var count: Int
    public var goal: IntervalPlan.Phase
    public var start: Timestamp
    public var end: Timestamp
    /// Time without manual pauses; standing still in a rest counts.
    public var seconds: Double
    public var distanceMeters: Double?
    public var averageHeartRate: Double?
    public var maxHeartRate: Double?

    public init(
        number: Int, count: Int, goal: IntervalPlan.Phase, start: Timestamp, end: Timestamp,
        seconds: Double, distanceMeters: Double?, averageHeartRate: Double?, maxHeartRate: Double?
    ) {
        self.number = number
        self.count = count
        self.goal = goal
        self.start = start
        self.end = end
        self.seconds = seconds
        self.distanceMeters = distanceMeters
        self.averageHeartRate = averageHeartRate
        self.maxHeartRate = maxHeartRate
    }

    /// Pace; `nil` for no distance.
    public var paceSecondsPerKm: Double? {
        distanceMeters.flatMap { $0 > 0 ? seconds / $0 * 1000 : nil }
    }
}

/// The fact that the runner came near enough to a checkpoint of the course to have reached it.
public struct CheckpointReached: Hashable, Sendable {
    public var checkpoint: String
    /// Elapsed time of the session, pauses included.
    public var elapsedSeconds: Double
    public var distanceMeters: Double?

    public init(checkpoint: String, elapsedSeconds: Double, distanceMeters: Double?) {
        self.checkpoint = checkpoint
        self.elapsedSeconds = elapsedSeconds
        self.distanceMeters = distanceMeters
    }
}

/// A correction of an event that the log already holds.
public enum Correction: Hashable, Sendable {
    /// The pause shown from `shown` began at `since`.
    case pauseBegan(shown: Timestamp, since: Timestamp)
    /// The pause shown to end at `shown` ended at `since`.
    case pauseEnded(shown: Timestamp, since: Timestamp)
    /// A late frame or a re-dated pause changed a split that was already sent.
    case split(Split)
}
