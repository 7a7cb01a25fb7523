import SensorModel

/// Meters covered: position where there is one, steps where there is none.
///
///     fix → FixGate → PathLength → SpeedFusion ─┐
///     steps × StrideModel (holes, treadmill) ───┴→ meters, with their uncertainty
///
/// While the runner may be standing, what comes in is held back: shown once it proves to be a way,
/// dropped when it proves to be drift. So standing credits nothing and nothing shown is taken back.
struct Distance: Sendable {
    struct Parameters: Sendable {
        /// How far an error of the Doppler factor reaches the distance: the noise of reckoning that
        /// spoils the factor is in the way it stretches, too, and in part takes itself back.
        var factorShare = 0.7
        /// Share by which what was credited while Doppler was not to be trusted may be off, one
        /// standard deviation.
        var doubtfulError = 0.1
        /// Error of the first and the last position together, one standard deviation, in units of
        /// the accuracy that the receiver claimed at each.
        var endsShare = 0.3
        /// A hole as long as speeds at both ends say, or shorter by a bend: between this share of
        /// the expected way and all of it, so much of what lacks is credited. Below lies a stop.
        var holeShareMin = 0.7
        var holeShareCredited = 0.8
        /// Share of a hole's way that may be off, one standard deviation.
        var holeError = 0.1
        /// Seconds; after longer holes the speeds at their ends say nothing of what was between.
        var holeSecondsMax = 60.0
        /// Good enough to teach the stride, meters.
        var teachingAccuracyMeters = 10.0
        var teachingSeconds = 20.0
    }

    let parameters: Parameters
    private(set) var stride: StrideModel
    private var path = PathLength()
    private var fusion = SpeedFusion()
    /// Meters as they stood when the runner may have stopped.
    private var held: (fusionMeters: Double, shown: Double)?
    /// Taken back from the fusion when standing was proved.
    private var dropped = 0.0
    private var newest = 0.0
    private var variance = 0.0
    private(set) var hasStarted = false
    /// As the receiver claimed it at the first usable fix, meters.
    private var firstAccuracy: Double?

    /// Steps at the last fix, or at the last step credited.
    private var creditedSteps: Double?
    /// Credited by steps since the last fix.
    private var bridgedMeters = 0.0
    private var teaching: (meters: Double, steps: Double, seconds: Double)?

    init(calibration: StrideCalibration?, parameters: Parameters = Parameters()) {
        self.parameters = parameters
        stride = StrideModel(calibration: calibration)
    }

    mutating func set(calibration: StrideCalibration?) {
        stride.calibration = calibration
    }

    /// `nil` before anything could be measured. Never falls.
    var meters: Double? { hasStarted ? newest : nil }

    /// Deviation of a step of the track, by scatter alone.
    var scatterMeters: Double { path.scatter.squareRoot() }

    /// Half the width of the 95 % interval.
    var uncertaintyMeters: Double? {
        guard hasStarted else { return nil }
        let factor = parameters.factorShare * fusion.factorError
        let variation = fusion.variation
        let systematic = factor * factor + variation * variation
        let doubtful = parameters.doubtfulError * fusion.doubtfulMeters
        let first = firstAccuracy ?? fusion.accuracy
        let ends = (first * first + fusion.accuracy * fusion.accuracy) / 2
        let endsVariance = parameters.endsShare * parameters.endsShare * ends
        return 1.96
            * (variance + endsVariance + doubtful * doubtful + systematic * newest * newest)
            .squareRoot()
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
    ///   - step: From the last usable fix to this one.
    ///   - isMoving: `false`: paused, nothing is credited.
    ///   - steps: Made until this fix, with parts of steps.
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
            // What was counted while positions were silent ends up to two hops before this fix.
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

    /// The straight line is the least it can have been; a way bends, so where the speeds at both
    /// ends say somewhat more and no steps do, part of that counts.
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

    /// Steps go on where positions do not.
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

    /// A treadmill, or a stride line of the owner's: steps alone count.
    mutating func addSteps(to steps: Double, cadence: Double?, isMoving: Bool) {
        guard hasStarted, isMoving else {
            hasStarted = true
            creditedSteps = steps
            return
        }
        bridge(steps: steps, cadence: cadence)
        bridgedMeters = 0
    }

    /// Steps made in a pause by hand are no way.
    mutating func skip(toSteps steps: Double) {
        if creditedSteps != nil { creditedSteps = max(steps, creditedSteps ?? 0) }
        teaching = nil
    }

    // MARK: Late fixes

    /// Meters since the first of some fixes at each later one, measured with what this track has
    /// taught. Rising; changes nothing.
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

    /// Way that was found out late; it was before anything that is held back now.
    mutating func credit(late meters: Double) {
        guard meters > 0 else { return }
        fusion.credit(meters)
        held?.fusionMeters += meters
        update()
    }

    // MARK: Standing

    /// The runner may have stopped: from here on nothing more is shown.
    mutating func hold() {
        guard held == nil else { return }
        held = (fusion.meters, newest)
    }

    /// It was no stop.
    mutating func release() {
        held = nil
        update()
    }

    /// It was a stop: what came in since ``hold()`` was drift.
    mutating func drop() {
        fusion.close()
        if let held { dropped += max(0, fusion.meters - held.fusionMeters) }
        held = nil
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
