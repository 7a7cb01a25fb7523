/// All values of a session that viewers can see, at one moment. A missing value is `nil`, never 0.
///
/// The log has one record for each whole second of device time. Each record has every latched
/// value, so a reader can start anywhere in the log.
///
/// A value without a state has that of the session. A sum does not age: it stays true while nothing
/// comes. Values that a sensor gives have no uncertainty, because no sensor tells one.
public struct Metrics: Hashable, Sendable {
    /// State of the session.
    public var state: ValueState = .waiting
    public var heartRate: HeartRateMetric?
    public var cadence: CadenceMetric?
    /// Whole steps since the start. No uncertainty: the error depends on gait and body place, which
    /// a run does not tell.
    public var steps: Int?
    /// A sum over positions, steps and sensors; ``MeasuredMetric/standsIn`` names a sensor in use.
    public var distanceMeters: Double?
    /// Half width of the 95 % interval, meters.
    public var distanceUncertaintyMeters: Double?
    /// Missing after 15 s of silence, so it needs no age; 0 in a pause, by definition.
    public var speedMetersPerSecond: Double?
    /// Half width of the 95 % interval, m/s.
    public var speedUncertaintyMetersPerSecond: Double?
    /// Computed from the speed, with its state and its relative uncertainty.
    public var paceSecondsPerKm: Double?
    /// Pace and slope together. No uncertainty, because that of the slope is unknown.
    public var gradeAdjustedPaceSecondsPerKm: Double?
    /// Moving and paused time together. Times are exact on the session's clock; which of them is a
    /// pause is a judgment.
    public var elapsedSeconds: Double = 0
    public var movingSeconds: Double = 0
    public var pausedSeconds: Double = 0
    public var autoPaused = false
    public var manuallyPaused = false
    /// No uncertainty: the error of a single run is unknown, from 3 % with a barometer to 30 % with a
    /// satellite's altitudes, as simulated. The same holds for the loss.
    public var elevationGainMeters: Double?
    public var elevationLossMeters: Double?
    /// Slope of the last 50 m with a barometer, 150 m without; missing 15 s after the last altitude.
    public var gradePercent: Double?
    /// Power that a sensor reports, in watts, averaged over three seconds. Missing while the sensor,
    /// which is among ``measured``, is not live.
    public var powerWatts: Double?
    /// Seconds in each zone, lowest first; empty until the first heart rate. This and the means and
    /// maxima below are computed from the shown heart rates and cadences, and err as those do.
    public var zoneSeconds: [Double] = []
    public var averageHeartRate: Double?
    public var maxHeartRate: Double?
    public var averageCadence: Double?
    public var position: PositionMetric?
    public var gpsQuality: GPSQuality?
    /// Load, calories, effort and decoupling are formulas by convention, without a truth that they
    /// could miss.
    public var trainingLoad: TrainingLoad?
    public var caloriesKcal: Double?
    public var effortKm: Double?
    /// Drift of heart rate against speed, second half over first, percent.
    public var decouplingPercent: Double?
    /// Its best and worst are its uncertainty, from the variation of the pace.
    public var finishEstimate: FinishEstimate?
    /// Predictions continue the mean speed; they have no spread.
    public var course: CourseProgress?
    /// Progress in the runner's plan; `nil` without a plan and after its end.
    public var interval: IntervalProgress?
    /// 0…1, as the device last said; devices tell it seldom, so its age tells nothing.
    public var battery: Double?
    public var charging: Bool?
    /// Alerts raised and not yet cleared.
    public var activeAlerts: [AlertKind] = []
    /// Time in the target zone, as a percentage of the time with heart rate.
    public var targetZonePercent: Double?
    /// Values that sensors computed themselves, such as a watch, a foot pod or a treadmill.
    public var measured: [MeasuredMetric] = []

    public init() {}
}
