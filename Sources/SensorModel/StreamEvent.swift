/// A derived fact about a session, in the order the log keeps.
public struct StreamEvent: Hashable, Sendable {
    /// Device time at which it became known.
    public var deviceTime: Timestamp
    public var kind: Kind

    public init(deviceTime: Timestamp, kind: Kind) {
        self.deviceTime = deviceTime
        self.kind = kind
    }

    public enum Kind: Hashable, Sendable {
        /// The whole state at a whole second of device time, or at a change of state.
        case metrics(Metrics)
        case marker(String)
        /// Known now, true since `since`, which is not after it.
        case paused(since: Timestamp, automatic: Bool)
        /// Known now, true since `since`.
        case resumed(since: Timestamp, automatic: Bool)
        case split(Split)
        case zoneChanged(from: Int?, to: Int)
        case lap(Lap)
        case intervalStarted(IntervalStart)
        /// The phase ends in about so many seconds: for a voice that counts down.
        case intervalEnding(number: Int, seconds: Double)
        case intervalEnded(Interval)
        /// Of the course that the runner follows; once for each.
        case checkpointReached(CheckpointReached)
        case alert(Alert)
        /// The device's sequences `from`…`to` never came.
        case gap(from: FrameSequence, to: FrameSequence)
        /// Something said earlier was wrong; the record of it stays, this amends it.
        case correction(Correction)
        /// The heart rate now comes from another source.
        case sourceChanged(from: String?, to: String)
        case ended
    }
}

/// One full kilometer or mile.
public struct Split: Hashable, Sendable {
    public enum Unit: UInt8, Sendable {
        case kilometer = 0
        case mile = 1
    }

    public var unit: Unit
    /// From 1.
    public var number: Int
    /// Moving seconds, interpolated at both marks.
    public var seconds: Double
    public var averageHeartRate: Double?
    /// Net.
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
    /// From 1.
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

/// A phase of the runner's plan begins.
public struct IntervalStart: Hashable, Sendable {
    /// From 1.
    public var number: Int
    /// Phases in the plan.
    public var count: Int
    public var goal: IntervalPlan.Phase
    /// Interpolated; not after the event's own time.
    public var since: Timestamp

    public init(number: Int, count: Int, goal: IntervalPlan.Phase, since: Timestamp) {
        self.number = number
        self.count = count
        self.goal = goal
        self.since = since
    }
}

/// A phase of the runner's plan that is over.
public struct Interval: Hashable, Sendable {
    /// From 1.
    public var number: Int
    /// Phases in the plan.
    public var count: Int
    public var goal: IntervalPlan.Phase
    public var start: Timestamp
    public var end: Timestamp
    /// Without manual pauses; standing still in a rest counts.
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

    /// `nil` where nothing was covered.
    public var paceSecondsPerKm: Double? {
        distanceMeters.flatMap { $0 > 0 ? seconds / $0 * 1000 : nil }
    }
}

/// The runner came so near to a checkpoint of the course that it counts as reached.
public struct CheckpointReached: Hashable, Sendable {
    /// Its name.
    public var checkpoint: String
    /// Of the session, pauses included.
    public var elapsedSeconds: Double
    public var distanceMeters: Double?

    public init(checkpoint: String, elapsedSeconds: Double, distanceMeters: Double?) {
        self.checkpoint = checkpoint
        self.elapsedSeconds = elapsedSeconds
        self.distanceMeters = distanceMeters
    }
}

public enum AlertKind: UInt8, CaseIterable, Sendable {
    case zoneDrift = 1
    case pace = 2
    case fall = 3
    case noMovement = 4
    case safetyTimer = 5
    case sos = 6
    case offCourse = 7

    public var name: String {
        switch self {
        case .zoneDrift: "zoneDrift"
        case .pace: "pace"
        case .fall: "fall"
        case .noMovement: "noMovement"
        case .safetyTimer: "safetyTimer"
        case .sos: "sos"
        case .offCourse: "offCourse"
        }
    }
}

public struct Alert: Hashable, Sendable {
    public enum Severity: UInt8, CaseIterable, Sendable {
        case information = 0
        case mild = 1
        case moderate = 2
        case significant = 3
        case emergency = 4

        public var name: String {
            switch self {
            case .information: "information"
            case .mild: "mild"
            case .moderate: "moderate"
            case .significant: "significant"
            case .emergency: "emergency"
            }
        }
    }

    public enum Phase: UInt8, CaseIterable, Sendable {
        /// Raised; until `cancelBefore` the wearer can take it back.
        case triggered = 0
        case cancelled = 1
        /// The window has passed.
        case confirmed = 2
        /// What raised it is over.
        case cleared = 3

        public var name: String {
            switch self {
            case .triggered: "triggered"
            case .cancelled: "cancelled"
            case .confirmed: "confirmed"
            case .cleared: "cleared"
            }
        }
    }

    public var kind: AlertKind
    public var severity: Severity
    public var phase: Phase
    /// Device time; `nil` where there is nothing to cancel.
    public var cancelBefore: Timestamp?
    /// What to say to the runner, as "slow down"; `nil` where the kind says it all.
    public var advice: String?

    public init(
        kind: AlertKind, severity: Severity, phase: Phase, cancelBefore: Timestamp? = nil,
        advice: String? = nil
    ) {
        self.kind = kind
        self.severity = severity
        self.phase = phase
        self.cancelBefore = cancelBefore
        self.advice = advice
    }
}

/// An appended correction of something the log already holds.
public enum Correction: Hashable, Sendable {
    /// The pause that was shown from `shown` really began at `since`.
    case pauseBegan(shown: Timestamp, since: Timestamp)
    /// The pause that was shown to end at `shown` really ended at `since`.
    case pauseEnded(shown: Timestamp, since: Timestamp)
    /// A late frame or a re-dated pause changed a split that was already sent.
    case split(Split)
}
