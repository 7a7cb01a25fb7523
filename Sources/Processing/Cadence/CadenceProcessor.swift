public import SensorModel

/// Computes steps and cadence from raw motion samples, for any sensor place, orientation and rate.
///
///     sample → MotionResampler → MotionWindow → GaitSpectrum → GaitEvidence → CadenceTracker
///              cells of 40 ms    5 s, changes   every 0.4 s     per cadence     over time
///                                                                       → StepGate → steps
///
/// It is causal: a value uses only earlier samples. It has no clock and allocates nothing once
/// running. At an ankle with a gyroscope, the reference's stride detector has priority.
public struct CadenceProcessor: Sendable {
    public private(set) var cadence = CadenceMetric(
        stepsPerMinute: nil, confidence: 0, uncertainty: nil, state: .waiting)
    /// Total steps; never falls. A start is credited at once when regular steps confirm it.
    public private(set) var steps = 0
    public private(set) var activity = MotionActivity(kind: .unknown, since: nil)

    private let placement: RunnerProfile.Placement?
    private let tuning: CadenceTuning
    private var resampler = MotionResampler()
    private var window: MotionWindow
    private var spectrum = GaitSpectrum()
    private var evidence = GaitEvidence()
    private var tracker: CadenceTracker
    private var gate: StepGate
    /// Steps of every rhythm, including those not proven to be a walk.
    private(set) var rhythmSteps = 0
    private var ankle = AnkleStrideDetector()
    private var newest: Timestamp?
    private var blocksToHop = CadenceTuning.hopBlocks
    /// Consecutive quick checks that preferred another cadence.
    private var quickLooks = 0
    private var includesGravity = true
    private var speed: (metersPerSecond: Double, at: Timestamp)?

    /// - Parameter placement: Place of the sensor; `nil` if unknown.
    public init(placement: RunnerProfile.Placement?) {
        self.init(placement: placement, tuning: CadenceTuning())
    }

    init(placement: RunnerProfile.Placement?, tuning: CadenceTuning) {
        self.placement = placement
        self.tuning = tuning
        window = MotionWindow(tuning: tuning)
        tracker = CadenceTracker(tuning: tuning)
        gate = StepGate(tuning: tuning)
    }

    /// Adds one sample; ignores one that is not later than the newest.
    public mutating func update(
        _ sample: MotionSample, traits: MotionTraits, at time: Timestamp
    ) {
        if let newest, time <= newest { return }
        newest = time
        includesGravity = traits.contains(.includesGravity)
        if placement == .ankle, traits.contains(.hasRotation) { ankle.update(sample, at: time) }
        if !resampler.take(sample.acceleration, at: time.microseconds) { beginAfresh() }
        while let cell = resampler.next() {
            let (endsBlock, changes) = window.append(cell, includesGravity: includesGravity)
            if changes { changeGait() }
            guard endsBlock else { continue }
            noteBlock(at: Timestamp(microseconds: resampler.cellTime))
            blocksToHop -= 1
            if blocksToHop == 0 {
                blocksToHop = CadenceTuning.hopBlocks
                estimate(at: Timestamp(microseconds: resampler.cellTime))
            }
        }
    }

    /// Ages the values. The caller calls it at whole seconds of device time, and after silence.
    public mutating func tick(at time: Timestamp) {
        guard let newest else { return }
        let silence = time.seconds(since: newest)
        if silence > 2, cadence.state == .live { cadence.state = .stale }
        if silence > 5 {
            cadence.stepsPerMinute = nil
            cadence.confidence = 0
            cadence.uncertainty = nil
            activity = MotionActivity(kind: .unknown, since: nil)
        }
    }

    /// Sets the runner's speed from a position source; `nil` if it is no longer known.
    public mutating func noteSpeed(_ metersPerSecond: Double?, at time: Timestamp) {
        speed = metersPerSecond.map { ($0, time) }
    }

    /// Steps of every rhythm until `time`, with fractions, as the input of a distance.
    ///
    /// Proven steps do not serve, because a late proof would add the steps of half a minute at one
    /// moment. The value may fall by two when steps end.
    func rhythmSteps(at time: Timestamp) -> Double {
        Int(gate.rhythmSteps) < rhythmSteps
            ? Double(rhythmSteps) : max(gate.rhythmSteps(at: time), Double(rhythmSteps))
    }

    private mutating func beginAfresh() {
        window.restart()
        tracker.restart()
        gate.restart()
        blocksToHop = CadenceTuning.hopBlocks
    }

    /// Hides the previous value, because the gait has just changed.
    private mutating func changeGait() {
        tracker.change()
        if gate.isWalking { hide(state: .live) }
    }

    private mutating func noteBlock(at time: Timestamp) {
        let wasHalted = gate.haltedSince != nil
        gate.observe(
            blockAmplitude: window.blockAmplitude, includesGravity: includesGravity, at: time)
        if wasHalted != (gate.haltedSince != nil) { showActivity(at: time) }
    }

    private mutating func estimate(at time: Timestamp) {
        let cells = min(window.count, max(window.usableCells, CadenceTuning.windowCellsMin))
        guard cells >= CadenceTuning.windowCellsMin else { return }
        spectrum.analyze(window, cells: cells)
        let usable = window.usableCells
        let isShort = usable < tuning.freshCells
        let speed = freshSpeed(at: time)
        let amplitude = includesGravity ? spectrum.amplitude : spectrum.axesAmplitude
        evidence.weigh(
            spectrum, by: weights(isShort: isShort),
            in: GaitEvidence.Circumstances(
                speed: speed, amplitude: placement == .ankle ? nil : amplitude),
            tuning: tuning)
        tracker.follow(evidence, isShort: isShort)
        let estimate = tracker.stepsPerMinute
        gate.observe(
            StepGate.Observation(
                time: time, stepsPerMinute: estimate, mass: tracker.mass,
                amplitude: amplitude,
                recentAmplitude: window.recentAmplitude,
                periodicity: spectrum.periodicity(stepsPerMinute: estimate),
                shape: GaitShape(
                    of: spectrum, stepsPerMinute: estimate, includesGravity: includesGravity),
                cells: usable, gaitCells: window.gaitCells, speed: speed,
                includesGravity: includesGravity,
                isAtHand: placement == .wrist || placement == .hand,
                walkLogOdds: walkLogOdds(stepsPerMinute: estimate, speed: speed)))
        show(at: time, usable: usable)
        lookQuickly(usable: usable)
    }

    /// Cuts the window to the newest two seconds if they show another cadence. With a long window
    /// the value would follow too slowly.
    private mutating func lookQuickly(usable: Int) {
        guard gate.isWalking, usable >= tuning.quickFromCells else {
            quickLooks = 0
            return
        }
        spectrum.analyze(window, cells: tuning.quickCells)
        evidence.weigh(
            spectrum, by: weights(isShort: true), in: GaitEvidence.Circumstances(), tuning: tuning)
        let advantage = evidence.advantage(over: tracker.stepsPerMinute)
        quickLooks = advantage > tuning.quickAdvantage ? quickLooks + 1 : 0
        guard quickLooks >= tuning.quickLooks else { return }
        quickLooks = 0
        window.cut(toCells: tuning.quickCells)
        tracker.change()
    }

    private func weights(isShort: Bool) -> GaitWeights {
        if placement == .ankle { return .ankle }
        if includesGravity { return isShort ? .short : .long }
        return isShort ? .shortFree : .longFree
    }

    /// Log odds of a walk; `nil` (every rhythm is a walk) without gravity or at an ankle, for which
    /// no weights were learned.
    private func walkLogOdds(stepsPerMinute: Float, speed: Double?) -> Float? {
        guard tuning.asksForProof, includesGravity, placement != .ankle else { return nil }
        let logOdds = WalkEvidence.logOdds(
            of: spectrum, stepsPerMinute: stepsPerMinute, mass: tracker.mass)
        let movesOn = speed ?? 0 >= tuning.provenFromSpeed
        return movesOn ? max(logOdds, WalkEvidence.movingLogOdds) : logOdds
    }

    private func freshSpeed(at time: Timestamp) -> Double? {
        guard let speed, abs(time.seconds(since: speed.at)) <= tuning.speedSecondsMax else {
            return nil
        }
        return speed.metersPerSecond
    }

    private mutating func show(at time: Timestamp, usable: Int) {
        steps = max(steps, Int(gate.steps))
        rhythmSteps = max(rhythmSteps, Int(gate.rhythmSteps))
        showActivity(at: time)
        if showAnkle() { return }
        let isShown =
            (gate.isRegular || gate.isWalking) && tracker.mass >= tuning.massToShow
            && (usable >= tuning.settledCells || tracker.mass >= tuning.freshMassToShow)
        if isShown {
            let confidence = gate.isProven ? tracker.mass : min(tracker.mass, 0.5)
            cadence = CadenceMetric(
                stepsPerMinute: Double(tracker.stepsPerMinute), confidence: Double(confidence),
                uncertainty: Double(tracker.uncertainty), state: .live)
        } else if gate.isStill {
            cadence = CadenceMetric(
                stepsPerMinute: 0, confidence: 1, uncertainty: 0, state: .live)
        } else {
            hide(state: .live)
        }
    }

    /// - Returns: Whether the stride detector has a cadence.
    private mutating func showAnkle() -> Bool {
        guard placement == .ankle, let value = ankle.stepsPerMinute, value > 0, !gate.isStill else {
            return false
        }
        steps = max(steps, ankle.steps)
        rhythmSteps = max(rhythmSteps, ankle.steps)
        // Strides have a resolution of one sample at 20 Hz, over up to ten seconds.
        cadence = CadenceMetric(
            stepsPerMinute: value, confidence: 0.95, uncertainty: 0.01 * value, state: .live)
        return true
    }

    private mutating func showActivity(at time: Timestamp) {
        let kind: MotionActivity.Kind
        let since: Timestamp?
        if let halted = gate.haltedSince {
            (kind, since) = (.still, halted)
        } else if gate.isWalking {
            let isRunning = Double(tracker.stepsPerMinute) >= tuning.runningStepsPerMinute
            kind = isRunning ? .running : .walking
            since = activity.kind.isSteps && activity.kind != kind ? time : gate.walkingSince
        } else if gate.isStill {
            (kind, since) = (.still, gate.quietSince)
        } else {
            (kind, since) = (.moving, gate.movingSince)
        }
        let isVigorous =
            kind == .moving && gate.walkAmplitude > 0
            && window.recentAmplitude >= tuning.vigorousShare * gate.walkAmplitude
        if activity.kind != kind {
            activity = MotionActivity(kind: kind, since: since ?? time, isVigorous: isVigorous)
        } else {
            activity.isVigorous = isVigorous
        }
    }

    private mutating func hide(state: ValueState) {
        let shown = cadence.state == .waiting ? .waiting : state
        cadence = CadenceMetric(
            stepsPerMinute: nil, confidence: 0, uncertainty: nil, state: shown)
    }
}
