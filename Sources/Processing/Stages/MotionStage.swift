import SensorModel

/// Computes steps, cadence and activity.
///
/// - In: motion samples; speed, to separate a walk from a ride; whether the session is paused.
/// - Out: activity, steps, cadence.
struct MotionStage: Sendable {
    /// Seconds after the last motion sample at which its results are stale. At 12.5 Hz with lost
    /// samples a second may pass, and a batch may hold two.
    static let staleSeconds = 4.0

    private var cadence: CadenceProcessor
    private var placement: RunnerProfile.Placement?
    /// Steps counted before the last change of the sensor's place, and by sensors themselves.
    private var earlierSteps = 0
    private var earlierRhythmSteps = 0
    /// The activity last passed to the later stages.
    private(set) var activity = MotionActivity(kind: .unknown, since: nil)
    private var newest: Timestamp?
    private var mean = MeanCadence()

    init(placement: RunnerProfile.Placement?) {
        self.placement = placement
        cadence = CadenceProcessor(placement: placement)
    }

    /// Sets the sensor's place; the counted steps stay.
    mutating func set(placement: RunnerProfile.Placement?) {
        guard placement != self.placement else { return }
        self.placement = placement
        earlierSteps += cadence.steps
        earlierRhythmSteps += cadence.rhythmSteps
        cadence = CadenceProcessor(placement: placement)
    }

    var steps: Int { earlierSteps + cadence.steps }

    /// Steps of every rhythm, plus those that a sensor counted; the distance uses them.
    var rhythmSteps: Double { Double(earlierRhythmSteps + cadence.rhythmSteps) }

    func rhythmSteps(at time: Timestamp) -> Double {
        Double(earlierRhythmSteps) + cadence.rhythmSteps(at: time)
    }

    /// Steps/min; `nil` while unknown.
    var stepsPerMinute: Double? { cadence.cadence.stepsPerMinute }

    // MARK: Samples

    /// - Returns: Whether the activity differs from the one last passed to later stages.
    @inline(__always)
    mutating func add(
        _ sample: MotionSample, traits: MotionTraits, at time: Timestamp
    ) -> Bool {
        cadence.update(sample, traits: traits, at: time)
        newest = time
        return cadence.activity != activity
    }

    mutating func updateActivity() {
        activity = cadence.activity
    }

    mutating func note(speed metersPerSecond: Double?, at time: Timestamp) {
        cadence.noteSpeed(metersPerSecond, at: time)
    }

    // MARK: Whole seconds

    /// - Returns: Time of the newest motion sample; `nil` if it is stale or there is none.
    mutating func tick(at time: Timestamp) -> Timestamp? {
        cadence.tick(at: time)
        guard let newest, time.seconds(since: newest) < Self.staleSeconds else { return nil }
        return newest
    }

    /// Adds to the mean cadence. The caller calls it once for each second that is not paused.
    mutating func addToMean(_ stepsPerMinute: Double?) {
        if let stepsPerMinute, stepsPerMinute > 0 { mean.add(stepsPerMinute) }
    }

    /// Adds steps that a sensor counted while there was no motion data.
    mutating func credit(steps: Int) {
        earlierSteps += steps
        earlierRhythmSteps += steps
    }

    // MARK: Metrics

    func addDeadlines(to deadline: inout SilenceDeadline) {
        deadline.add(newest?.advanced(bySeconds: Self.staleSeconds + 0.001))
    }

    func show(in shown: inout Metrics, at times: StageTimes) {
        if newest != nil || earlierSteps > 0 { shown.steps = steps }
        shown.averageCadence = mean.stepsPerMinute
        guard let newest else { return }
        var metric = cadence.cadence
        if times.shownAt.seconds(since: newest) > Self.staleSeconds {
            metric.state = .stale
            metric.stepsPerMinute = nil
        }
        if times.isEnded { metric.state = .ended }
        shown.cadence = metric
    }
}

/// Mean cadence of the seconds with steps.
struct MeanCadence: Sendable {
    private var sum = 0.0
    private var seconds = 0.0

    mutating func add(_ stepsPerMinute: Double) {
        sum += stepsPerMinute
        seconds += 1
    }

    var stepsPerMinute: Double? { seconds > 0 ? sum / seconds : nil }
}
