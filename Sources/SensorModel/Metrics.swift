/// Everything a viewer can be shown of a session at one moment. Missing is `nil`, never 0.
///
/// One value a whole second of device time; each stands alone, so a reader that starts anywhere
/// in the log has every latched value from a single record.
public struct Metrics: Hashable, Sendable {
    /// Of the session.
    public var state: ValueState = .waiting
    public var heartRate: HeartRateMetric?
    public var cadence: CadenceMetric?
    /// Whole steps since the start.
    public var steps: Int?
    public var distanceMeters: Double?
    /// Half the width of the 95 % interval, meters.
    public var distanceUncertaintyMeters: Double?
    public var speedMetersPerSecond: Double?
    /// Half the width of the 95 % interval, m/s.
    public var speedUncertaintyMetersPerSecond: Double?
    public var paceSecondsPerKm: Double?
    public var gradeAdjustedPaceSecondsPerKm: Double?
    /// Always moving + paused.
    public var elapsedSeconds: Double = 0
    public var movingSeconds: Double = 0
    public var pausedSeconds: Double = 0
    public var autoPaused = false
    public var manuallyPaused = false
    public var elevationGainMeters: Double?
    public var elevationLossMeters: Double?
    public var gradePercent: Double?
    /// Seconds in each zone, lowest first; empty while no heart rate has come.
    public var zoneSeconds: [Double] = []
    public var averageHeartRate: Double?
    public var maxHeartRate: Double?
    public var averageCadence: Double?
    public var position: PositionMetric?
    public var gpsQuality: GPSQuality?
    public var trainingLoad: TrainingLoad?
    public var caloriesKcal: Double?
    public var effortKm: Double?
    /// Drift of heart rate against speed, second half over first, percent.
    public var decouplingPercent: Double?
    public var finishEstimate: FinishEstimate?
    public var course: CourseProgress?
    /// Of the runner's plan; `nil` without one, and after its end.
    public var interval: IntervalProgress?
    /// 0…1.
    public var battery: Double?
    public var charging: Bool?
    /// Alerts raised and not yet cleared.
    public var activeAlerts: [AlertKind] = []
    /// Share of the time with heart rate that was spent in the target zone, percent.
    public var targetZonePercent: Double?

    public init() {}
}

public struct HeartRateMetric: Hashable, Sendable {
    public var beatsPerMinute: Double
    /// From 1; `nil` when the state is stale.
    public var zone: Int?
    public var state: ValueState
    public var ageSeconds: Double
    public var source: String?
    /// Root mean square of successive RR differences, ms.
    public var rmssdMilliseconds: Double?
    /// The sensor seems to count steps, not beats.
    public var cadenceLockSuspected: Bool
    /// Newer readings leapt so far that they are doubted: the value is the one before them.
    public var spikeSuspected: Bool

    public init(
        beatsPerMinute: Double, zone: Int?, state: ValueState, ageSeconds: Double,
        source: String? = nil, rmssdMilliseconds: Double? = nil, cadenceLockSuspected: Bool = false,
        spikeSuspected: Bool = false
    ) {
        self.beatsPerMinute = beatsPerMinute
        self.zone = zone
        self.state = state
        self.ageSeconds = ageSeconds
        self.source = source
        self.rmssdMilliseconds = rmssdMilliseconds
        self.cadenceLockSuspected = cadenceLockSuspected
        self.spikeSuspected = spikeSuspected
    }
}

public struct CadenceMetric: Hashable, Sendable {
    /// 0 while standing; `nil` while unknown.
    public var stepsPerMinute: Double?
    /// 0…1.
    public var confidence: Double
    /// Half the width of the 95 % interval, steps/min.
    public var uncertainty: Double?
    public var state: ValueState

    public init(
        stepsPerMinute: Double?, confidence: Double, uncertainty: Double?, state: ValueState
    ) {
        self.stepsPerMinute = stepsPerMinute
        self.confidence = confidence
        self.uncertainty = uncertainty
        self.state = state
    }
}

public struct PositionMetric: Hashable, Sendable {
    public var latitude: Double
    public var longitude: Double
    public var altitudeMeters: Double?
    public var horizontalAccuracyMeters: Double?
    public var courseDegrees: Double?
    public var state: ValueState

    public init(
        latitude: Double, longitude: Double, altitudeMeters: Double?,
        horizontalAccuracyMeters: Double?, courseDegrees: Double?, state: ValueState
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.altitudeMeters = altitudeMeters
        self.horizontalAccuracyMeters = horizontalAccuracyMeters
        self.courseDegrees = courseDegrees
        self.state = state
    }
}

public enum GPSQuality: UInt8, CaseIterable, Sendable {
    case none = 0
    case weak = 1
    case fair = 2
    case good = 3
    case veryGood = 4

    public var name: String {
        switch self {
        case .none: "none"
        case .weak: "weak"
        case .fair: "fair"
        case .good: "good"
        case .veryGood: "veryGood"
        }
    }
}

public struct TrainingLoad: Hashable, Sendable {
    public var hrTSS: Double?
    /// Banister.
    public var trimp: Double?
    public var edwards: Double?

    public init(hrTSS: Double?, trimp: Double?, edwards: Double?) {
        self.hrTSS = hrTSS
        self.trimp = trimp
        self.edwards = edwards
    }
}

/// Seconds from start to finish of the race distance, moving and paused.
public struct FinishEstimate: Hashable, Sendable {
    public var bestSeconds: Double
    public var expectedSeconds: Double
    public var worstSeconds: Double

    public init(bestSeconds: Double, expectedSeconds: Double, worstSeconds: Double) {
        self.bestSeconds = bestSeconds
        self.expectedSeconds = expectedSeconds
        self.worstSeconds = worstSeconds
    }
}

public struct CourseProgress: Hashable, Sendable {
    /// Name of the checkpoint ahead; `nil` past the last one.
    public var checkpoint: String?
    /// Elapsed seconds at which it is predicted.
    public var predictedSeconds: Double?
    public var offCourse: Bool
    /// The checkpoints after that one, in the order of the course; with it at most ``aheadMax``.
    public var later: [CheckpointAhead]

    /// Each of them is in every record of metrics, and in what viewers are sent each second.
    public static let aheadMax = 20

    public init(
        checkpoint: String?, predictedSeconds: Double?, offCourse: Bool,
        later: [CheckpointAhead] = []
    ) {
        self.checkpoint = checkpoint
        self.predictedSeconds = predictedSeconds
        self.offCourse = offCourse
        self.later = later
    }

    /// The next checkpoint and the later ones.
    public var ahead: [CheckpointAhead] {
        guard let checkpoint else { return [] }
        return [CheckpointAhead(checkpoint: checkpoint, predictedSeconds: predictedSeconds)] + later
    }
}

/// A checkpoint that the runner has yet to reach.
public struct CheckpointAhead: Hashable, Sendable {
    /// Its name.
    public var checkpoint: String
    /// Elapsed seconds at which it is predicted; `nil` while nothing says how fast the runner is.
    public var predictedSeconds: Double?

    public init(checkpoint: String, predictedSeconds: Double?) {
        self.checkpoint = checkpoint
        self.predictedSeconds = predictedSeconds
    }
}

/// Where in the plan's phases the runner is.
public struct IntervalProgress: Hashable, Sendable {
    /// From 1.
    public var number: Int
    /// Phases in the plan.
    public var count: Int
    /// What is left of a phase by time …
    public var secondsLeft: Double?
    /// … or of one by distance.
    public var metersLeft: Double?

    public init(number: Int, count: Int, secondsLeft: Double?, metersLeft: Double?) {
        self.number = number
        self.count = count
        self.secondsLeft = secondsLeft
        self.metersLeft = metersLeft
    }
}
