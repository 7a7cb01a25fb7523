/// The owner's settings for a device and its wearer. A session's log gets them as a record at the
/// start and after each change, so that a replay uses the settings of that time.
public struct RunnerProfile: Hashable, Sendable {
    public enum Placement: String, CaseIterable, Sendable {
        case wrist, ankle, hip, pocket, hand
    }

    public enum Sex: String, CaseIterable, Sendable {
        case female, male
    }

    public enum AutoPauseMethod: String, CaseIterable, Sendable {
        /// Motion and position together.
        case fused
        /// The reference applications' thresholds on speed alone.
        case reference
        /// No automatic pause.
        case off
    }

    public var placement: Placement?
    /// Beats/min, 100…230.
    public var maxHeartRate: Int = 190
    /// Beats/min, 30…120.
    public var restingHeartRate: Int?
    /// Beats/min at lactate threshold, 80…220.
    public var thresholdHeartRate: Int?
    public var zones: ZoneScheme = .percentOfMaximum
    /// Kilograms, 20…300.
    public var weightKg: Double?
    public var sex: Sex?
    /// IANA name; training days are counted in this zone.
    public var timeZone: String = "UTC"
    /// Target zone, from 1; `nil`: none.
    public var targetZone: Int?
    /// Seconds a kilometer, 60…3600.
    public var targetPaceSecondsPerKm: Double?
    /// Race distance for the finish estimate, kilometers, 0…1000.
    public var raceKm: Double?
    public var treadmill = false
    public var autoPause: AutoPauseMethod = .fused
    /// Stride line of the reference: slope in meters a step per step/min, intercept in meters;
    /// `nil`: learned only.
    public var strideCalibration: StrideCalibration?
    /// Session length that raises an alert, seconds; `nil`: off.
    public var safetyTimerSeconds: Double?
    /// The runner's last runs, newest first, at most ``RecentRun/countMax``. The daemon fills it in
    /// when a session begins; no owner sets it.
    public var recentRuns: [RecentRun] = []
    /// Plan that starts with the session, or when it is set during one; `nil`: none.
    public var intervals: IntervalPlan?

    public init() {}
}

/// Rule that turns heart rates into zones; zone 1 is the lowest.
public enum ZoneScheme: Hashable, Sendable {
    /// 60/70/80/90 % of the maximum, lower bound inclusive.
    case percentOfMaximum
    /// 60/70/80/90 % of the reserve between rest and maximum.
    case karvonen
    /// Friel's seven run zones, % of threshold heart rate.
    case friel
    /// Coggan's five zones, % of threshold heart rate.
    case coggan
    /// Seiler's three zones, % of maximum.
    case seiler
    /// Upper bounds in beats/min, inclusive, strictly rising. There is one zone more than bounds.
    case custom(upperBounds: [Int])
}
