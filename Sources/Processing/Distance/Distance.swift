import SensorModel

/// Computes the meters covered: from positions if there are any, otherwise from steps.
///
///     fix → FixGate → PathLength → SpeedFusion ─┐
///     steps × StrideModel (holes, treadmill) ───┴→ meters, with their uncertainty
///
/// While the runner may be standing, new meters are held back. They are shown if the runner was
/// moving and dropped if they were drift. So standing adds nothing, and shown meters are never
/// taken back.
struct Distance: Sendable {
    struct Parameters: Sendable {
        /// Share of an error of the Doppler factor that reaches the distance. The noise of dead
        /// reckoning that disturbs the factor is also in the path that it scales, and partly
        /// cancels.
        var factorShare = 0.7
        /// Relative error of meters credited while Doppler was unreliable, one standard deviation.
        var doubtfulError = 0.1
        /// Error of the first and the last position together, one standard deviation, in units of
        /// the accuracy reported at each.
        var endsShare = 0.3
        /// Minimum share of a hole's expected path, from the speeds at both ends, at which the
        /// shorter line counts as a bend and not a stop. `holeShareCredited` of the difference is
        /// then credited.
        var holeShareMin = 0.7
        var holeShareCredited = 0.8
        /// Relative error of a hole's path, one standard deviation.
        var holeError = 0.1
        /// Longest hole, seconds, for which the speeds at both ends are usable.
        var holeSecondsMax = 60.0
        /// Relative error of an uncalibrated foot pod or treadmill, one standard deviation.
        var sensorError = 0.03
        /// Accuracy good enough to learn the stride, meters.
        var teachingAccuracyMeters = 10.0
        var teachingSeconds = 20.0
    }

    let parameters: Parameters
    private(set) var stride: StrideModel
    private var path = PathLength()
    private var fusion = SpeedFusion()
    /// Meters at the moment when the runner may have stopped; `nil` if no meters are held.
    private var held: (fusionMeters: Double, shown: Double)?
    /// Meters removed from the fusion after standing was proven.
    private var dropped = 0.0
    private var newest = 0.0
    private var variance = 0.0
    /// Meters that a sensor measured in place of positions.
    private var sensorMeters = 0.0
    private(set) var hasStarted = false
    /// Reported accuracy of the first usable fix, meters.
    private var firstAccuracy: Double?

    /// Steps at the last fix, or at the last step credited.
    private var creditedSteps: Double?
    /// Meters credited by steps since the last fix.
    private var bridgedMeters = 0.0
    private var teaching: (meters: Double, steps: Double, seconds: Double)?

    init(calibration: StrideCalibration?, parameters: Parameters = Parameters()) {
        self.parameters = parameters
        stride = StrideModel(calibration: calibration)
    }

    mutating func set(calibration: StrideCalibration?) {
        stride.calibration = calibration
    }

    /// Meters; `nil` before the first measurement. Never falls.
    var meters: Double? { hasStarted ? newest : nil }

    /// Standard deviation of a step of the track from scatter alone, meters.
    var scatterMeters: Double { path.scatter.squareRoot() }

    /// Half width of the 95 % interval, meters.
    var uncertaintyMeters: Double? {
        guard hasStarted else { return nil }
        let factor = parameters.factorShare * fusion.factorError
        let variation = fusion.variation
        let systematic = factor * factor + variation * variation
        let doubtful = parameters.doubtfulError * fusion.doubtfulMeters
        let sensor = parameters.sensorError * sensorMeters
        let first = firstAccuracy ?? fusion.accuracy
        let ends = (first * first + fusion.accuracy * fusion.accuracy) / 2
        let endsVariance = parameters.endsShare * parameters.endsShare * ends
        let own = newest - min(sensorMeters, newest)
        return 1.96
            * (variance + endsVariance + doubtful * doubtful + sensor * sensor
            + systematic * own * own).squareRoot()
    }

    mutating func note(accuracy: Double?, at time: Timestamp) {
        fusion.note(accuracy: accuracy, at: time)
    }

    mutating func start(at location: Location, steps: Double) {
        path.restart(at: location)
        firstAccuracy = location.horizontalAccuracy
        creditedSteps = steps
        hasStarted = true
    }

    /// - Parameters:
    ///   - step: The step from the last usable fix to this one.
    ///   - isMoving: `false` in a pause: no meters are credited.
    ///   - steps: Total steps until this fix, with fractions.
    ///   - cadence: Steps/min; `nil` while unknown.
    mutating func add(_ step: FixGate.Step, isMoving: Bool, steps: Double, cadence: Double?) {
        defer {
            creditedSteps = max(steps, creditedSteps ?? 0)
            bridgedMeters = 0
            update()
        }
        guard isMoving else {
            path.restart(at: step.location)
            fusion.wait(step)
            teaching = nil
            return
        }
        if step.isJump || step.isHole || bridgedMeters > 0 {
            // Steps credited without positions end up to two hops before this fix.
            if bridgedMeters > 0 { bridge(steps: steps, cadence: cadence) }
            path.restart(at: step.location)
            let line =
                step.isJump
                ? min(step.meters, step.expectedMeters ?? 0) : holeMeters(step)
            fusion.credit(max(0, line - bridgedMeters))
            fusion.loseTrack()
            let error = parameters.holeError * line
            variance += error * error
            teaching = nil
            return
        }
        let before = fusion.meters
        let added = path.add(step.location, seconds: step.seconds)
        fusion.add(pathMeters: added, step: step, scatter: path.scatter)
        teach(fusion.meters - before, step: step, steps: steps, cadence: cadence)
    }

    /// Returns the meters to credit for a hole. The straight line is the minimum, but a path bends:
    /// if the speeds at both ends give a little more and no steps do, part of that counts.
    private func holeMeters(_ step: FixGate.Step) -> Double {
        guard bridgedMeters == 0, step.seconds <= parameters.holeSecondsMax,
            let before = step.previous.speed, let after = step.location.speed
        else { return step.meters }
        let expected = (before + after) / 2 * step.seconds
        guard expected > step.meters, step.meters >= parameters.holeShareMin * expected else {
            return step.meters
        }
        return step.meters + parameters.holeShareCredited * (expected - step.meters)
    }

    /// Credits steps while there are no positions.
    mutating func bridge(steps: Double, cadence: Double?) {
        guard hasStarted, held == nil else { return }
        let fresh = steps - (creditedSteps ?? steps)
        guard fresh > 0 else { return }
        creditedSteps = steps
        let meters = fresh * stride.metersPerStep(cadence: cadence ?? 100)
        bridgedMeters += meters
        fusion.credit(meters)
        let error = stride.uncertainty / 2 * meters
        variance += error * error
        teaching = nil
        update()
    }

    /// Credits meters that a sensor measured while there are no positions.
    mutating func bridge(measured meters: Double, steps: Double) {
        hasStarted = true
        creditedSteps = max(steps, creditedSteps ?? 0)
        bridgedMeters += meters
        sensorMeters += meters
        fusion.credit(meters)
        teaching = nil
        update()
    }

    /// Credits steps only: on a treadmill, or with the owner's stride line.
    mutating func addSteps(to steps: Double, cadence: Double?, isMoving: Bool) {
        guard hasStarted, isMoving else {
            hasStarted = true
            creditedSteps = steps
            return
        }
        bridge(steps: steps, cadence: cadence)
        bridgedMeters = 0
    }

    /// Skips steps made in a manual pause.
    mutating func skip(toSteps steps: Double) {
        if creditedSteps != nil { creditedSteps = max(steps, creditedSteps ?? 0) }
        teaching = nil
    }

    // MARK: Late fixes

    /// Measures the meters from the first of some fixes to each later one, with the learned state
    /// of this track. The results never fall. Changes nothing.
    func measured(from start: Location, along steps: [FixGate.Step]) -> [Double] {
        var copy = self
        copy.held = nil
        copy.bridgedMeters = 0
        copy.fusion.loseTrack()
        copy.path.restart(at: start)
        let before = copy.fusion.meters
        var meters = 0.0
        return steps.map { step in
            copy.add(step, isMoving: true, steps: creditedSteps ?? 0, cadence: nil)
            meters = max(meters, copy.fusion.meters - before)
            return meters
        }
    }

    /// Credits meters found late, which lie before any held meters.
    mutating func credit(late meters: Double) {
        guard meters > 0 else { return }
        fusion.credit(meters)
        held?.fusionMeters += meters
        update()
    }

    // MARK: Standing

    /// Holds back new meters, because the runner may have stopped.
    mutating func hold() {
        guard held == nil else { return }
        held = (fusion.meters, newest)
    }

    /// Shows the held meters, because there was no stop.
    mutating func release() {
        held = nil
        update()
    }

    /// Drops the meters since ``hold()``, because there was a stop and they were drift.
    mutating func drop() {
        fusion.close()
        if let held { dropped += max(0, fusion.meters - held.fusionMeters) }
        held = nil
        update()
    }

    /// Credits the way from the place of a pause to the place where its end was detected.
    mutating func giveBack(_ meters: Double) {
        guard meters > 0 else { return }
        fusion.credit(meters)
        let error = parameters.holeError * meters
        variance += error * error
        update()
    }

    private mutating func update() {
        guard held == nil else { return }
        newest = max(newest, fusion.meters - dropped)
    }

    private mutating func teach(
        _ meters: Double, step: FixGate.Step, steps: Double, cadence: Double?
    ) {
        guard let cadence, cadence > 0, let creditedSteps, steps >= creditedSteps,
            (step.location.horizontalAccuracy ?? 5) < parameters.teachingAccuracyMeters
        else {
            teaching = nil
            return
        }
        var stretch = teaching ?? (0, 0, 0)
        stretch.meters += meters
        stretch.steps += steps - creditedSteps
        stretch.seconds += step.seconds
        teaching = stretch
        guard stretch.seconds >= parameters.teachingSeconds else { return }
        let spm = stretch.steps * 60 / stretch.seconds
        stride.learn(meters: stretch.meters, steps: stretch.steps, cadence: spm)
        teaching = nil
    }
}
