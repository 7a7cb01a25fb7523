import SensorModel

/// Computes meters, speed, and paths through holes from late fixes.
///
/// - In: steps of the track, steps of the feet, cadence, outcomes of the pause stage.
/// - Out: meters, speed, effects of late fixes.
struct DistanceStage: Sendable {
    private var distance: Distance
    private var speed = SpeedEstimate()
    private var lateFixes = LateFixes()

    init(calibration: StrideCalibration?) {
        distance = Distance(calibration: calibration)
    }

    mutating func set(calibration: StrideCalibration?) {
        distance.set(calibration: calibration)
    }

    /// Meters; `nil` before the first measurement. Never falls.
    var meters: Double? { distance.meters }

    /// Speed; `nil` while unknown.
    var metersPerSecond: Double? { speed.metersPerSecond }

    /// Standard deviation of a step of the track from scatter alone, meters.
    var scatterMeters: Double { distance.scatterMeters }

    /// Pace; `nil` while paused or slower than 1 h/km.
    func paceSecondsPerKm(isPaused: Bool) -> Double? {
        guard !isPaused, let metersPerSecond, metersPerSecond > 1 / 3.6 else { return nil }
        return 1000 / metersPerSecond
    }

    // MARK: Fixes

    mutating func note(accuracy: Double?, at time: Timestamp) {
        distance.note(accuracy: accuracy, at: time)
    }

    /// Starts the path at the first usable fix.
    ///
    /// - Parameters:
    ///   - location: Start of the path.
    ///   - steps: Total steps until then.
    ///   - time: Time of the fix.
    mutating func start(at location: Location, steps: Double, _ time: Timestamp) {
        distance.start(at: location, steps: steps)
        lateFixes.restart(at: time, meters: distance.meters ?? 0)
    }

    /// - Parameters:
    ///   - step: The step from the last usable fix to this one.
    ///   - steps: Total steps until this fix, with fractions.
    ///   - cadence: Steps/min; `nil` while unknown.
    ///   - isMoving: `false` in a pause: no meters are credited.
    ///   - isOneWay: Whether the runner did not stand or pause between the fixes.
    mutating func add(
        _ step: FixGate.Step, steps: Double, cadence: Double?, isMoving: Bool, isOneWay: Bool
    ) {
        distance.add(step, isMoving: isMoving, steps: steps, cadence: cadence)
        if isMoving, isOneWay, let meters = distance.meters {
            lateFixes.note(step, meters: meters)
        } else {
            lateFixes.restart(at: step.to, meters: distance.meters ?? 0)
        }
        speed.add(step, factor: 1)
    }

    /// Records that frames before the next one are missing; they may still arrive late.
    mutating func noteLostFrames() {
        lateFixes.noteLostFrames()
    }

    /// Adds a fix of a gap, which changes the path through its hole.
    mutating func addLate(_ location: Location, _ context: inout StageContext) -> LateFixes.Change?
    {
        guard let change = lateFixes.take(location, at: context.time, by: distance) else {
            return nil
        }
        distance.credit(late: change.addedMeters)
        if change.addedMeters > 0 { context.oweMetrics() }
        return change
    }

    // MARK: Pauses

    /// Holds back meters of possible standing, drops those of proven standing, releases the others.
    mutating func follow(_ outcome: PauseStage.Outcome) {
        switch outcome.change {
        case .began: distance.drop()
        case .ended:
            distance.release()
            distance.giveBack(outcome.metersBack)
        case .inserted, nil: break
        }
        guard let isSuspected = outcome.isSuspected else { return }
        if isSuspected { distance.hold() } else { distance.release() }
    }

    /// Skips steps made in a manual pause.
    mutating func skip(toSteps steps: Double) {
        distance.skip(toSteps: steps)
    }

    // MARK: Whole seconds

    /// Credits steps alone, on a treadmill.
    mutating func addTreadmill(toSteps steps: Double, cadence: Double?, isMoving: Bool) {
        distance.addSteps(to: steps, cadence: cadence, isMoving: isMoving)
    }

    /// Credits steps while there are no positions.
    mutating func bridge(steps: Double, cadence: Double?) {
        distance.bridge(steps: steps, cadence: cadence)
    }

    /// Credits meters that a sensor measured while there are no positions.
    mutating func bridge(measured meters: Double, steps: Double) {
        distance.bridge(measured: meters, steps: steps)
    }

    /// - Parameters:
    ///   - time: Current time.
    ///   - rhythmSeconds: Time between two fixes of the source.
    ///   - measured: Speed of a sensor; `nil` if there is none.
    ///   - cadence: Steps/min of a runner who walks or runs; otherwise `nil`.
    /// - Returns: Whether positions still give the speed; otherwise a sensor or steps do.
    mutating func ageSpeed(
        at time: Timestamp, rhythmSeconds: Double, measured: Double?, cadence: Double?
    ) -> Bool {
        if speed.isFresh(at: time, rhythmSeconds: rhythmSeconds) { return true }
        if let measured {
            speed.set(
                measured, uncertainty: 1.96 * distance.parameters.sensorError * measured)
        } else if distance.hasStarted, let cadence {
            let metersPerSecond = cadence / 60 * distance.stride.metersPerStep(cadence: cadence)
            speed.set(
                metersPerSecond, uncertainty: metersPerSecond * distance.stride.uncertainty)
        } else {
            speed.set(nil, uncertainty: 0)
        }
        return false
    }

    // MARK: Metrics

    /// - Parameters:
    ///   - shown: The metrics to fill in.
    ///   - times: Times of the metrics.
    ///   - isPaused: Whether the session is paused: the speed is then 0, and there is no pace.
    ///   - gradeFactor: Cost relative to flat ground; `nil` if unknown.
    func show(in shown: inout Metrics, at times: StageTimes, isPaused: Bool, gradeFactor: Double?) {
        shown.distanceMeters = distance.meters
        shown.distanceUncertaintyMeters = distance.uncertaintyMeters
        guard times.silenceSeconds <= TimeStage.staleSeconds else { return }
        if isPaused {
            if distance.hasStarted { shown.speedMetersPerSecond = 0 }
            return
        }
        shown.speedMetersPerSecond = speed.metersPerSecond
        shown.speedUncertaintyMetersPerSecond = speed.uncertainty
        let pace = paceSecondsPerKm(isPaused: false)
        shown.paceSecondsPerKm = pace
        shown.gradeAdjustedPaceSecondsPerKm = pace.flatMap { pace in gradeFactor.map { pace / $0 } }
    }
}
