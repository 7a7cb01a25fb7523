import Glibc
import SensorModel

/// Decides whether the motion is steps, and counts them.
///
///     idle --(regular gait for confirmSeconds)--> walking: its start is credited at once
///     walking --(still, or irregular for long)--> idle
///     walking --(``WalkEvidence``)--> proven: steps since its start count
///
/// While walking, steps are the integral of the cadence over the time in motion. So a soft step
/// within a gait is not missed and a hard one is not counted twice. Counters of peaks are a few
/// percent off. A gait must repeat stride by stride; driving, service work and gestures do not
/// repeat so for seconds.
struct StepGate: Sendable {
    /// One estimate, as input of the gate.
    struct Observation: Sendable {
        var time: Timestamp
        var stepsPerMinute: Float
        var mass: Float
        var amplitude: Float
        var recentAmplitude: Float
        var periodicity: Float
        var shape: GaitShape
        /// Analyzed cells, and the number including the transition before them.
        var cells: Int
        var gaitCells: Int
        /// m/s; `nil` when unknown.
        var speed: Double?
        var includesGravity = true
        /// Whether the sensor is worn at wrist or hand.
        var isAtHand = false
        /// See ``WalkEvidence``; `nil` where a rhythm alone is enough evidence.
        var walkLogOdds: Float?
    }

    private let tuning: CadenceTuning
    /// Steps with fractions.
    private(set) var steps = 0.0
    /// Steps of every rhythm, including those not proven to be a walk, with fractions.
    private(set) var rhythmSteps = 0.0
    private var evidence = WalkEvidence()
    /// Steps of a rhythm that is not proven to be a walk.
    private var unprovenSteps = 0.0
    /// Steps of the newest hop. They count if the next hop is in motion too: amplitude shows a stop
    /// half a second late.
    private var pendingSteps = 0.0
    /// Whether there is a rhythm like steps.
    private(set) var isWalking = false
    /// Whether the present estimate may be shown.
    private(set) var isRegular = false
    /// Start of the sensor's motion; `nil` while it is quiet.
    private(set) var movingSince: Timestamp?
    /// Start of the quiet time; `nil` while it moves.
    private(set) var quietSince: Timestamp?
    private(set) var walkingSince: Timestamp?

    private var quietSeconds: Float = 0
    private var regularSeconds: Float = 0
    private var regularSince: Timestamp?
    private var regularCadence: Float = 0
    private var irregularSeconds: Float = 0
    /// Amplitude of the present or the last walk, g.
    private(set) var walkAmplitude: Float = 0
    /// Consecutive blocks that were quiet against the walk.
    private var quietBlocks = 0
    /// Start of a halt, known a second later and before the walk counts as over; `nil` while it
    /// continues.
    private(set) var haltedSince: Timestamp?
    private var lastStep: Timestamp?
    /// The last estimate that found steps: they are counted until a hop before it.
    private var lastMotion: Timestamp?
    private var lastCadence: Float = 0

    init(tuning: CadenceTuning) {
        self.tuning = tuning
    }

    /// Whether a rhythm is a walk now.
    var isProven: Bool { evidence.isProven }

    /// Whether the sensor has been quiet long enough to be standing.
    var isStill: Bool { quietSeconds >= tuning.stillSeconds }

    /// Ends the walk after a hole in the samples; the count stays.
    mutating func restart() {
        stop()
        evidence.restart()
        unprovenSteps = 0
        movingSince = nil
        quietSince = nil
        quietSeconds = 0
    }

    mutating func observe(_ seen: Observation) {
        let inMotion = noteMotion(seen)
        evidence.observe(
            seen.walkLogOdds, counts: inMotion && seen.cells >= tuning.settledCells)
        let isPossible = inMotion && isGaitLike(seen) && !isWheels(seen)
        let isTellable = seen.cells >= tuning.periodicityCells
        let keeps =
            isPossible && (!isTellable || seen.periodicity >= tuning.periodicityToKeep)
        isRegular =
            isPossible && isTellable && seen.mass >= tuning.massToStart
            && seen.periodicity >= tuning.periodicityToStart
        noteRegularity(seen)
        if isWalking {
            irregularSeconds = keeps ? 0 : irregularSeconds + CadenceTuning.hopSeconds
            walkAmplitude += 0.2 * (min(seen.amplitude, 2 * walkAmplitude) - walkAmplitude)
            if irregularSeconds > tuning.irregularSeconds || isWheels(seen) { stop() }
        }
        if !isWalking, isRegular { beginIfConfirmed(seen) }
        guard isWalking else {
            forgetUnproven(at: seen.time)
            return
        }
        if inMotion {
            unprovenSteps += pendingSteps
            rhythmSteps += pendingSteps
            pendingSteps = Double(CadenceTuning.hopSeconds * seen.stepsPerMinute / 60)
            lastMotion = seen.time
        }
        lastStep = seen.time
        lastCadence = seen.stepsPerMinute
        creditProven()
    }

    /// Counts the steps of a walk that is proven. Unproven steps older than half a minute are
    /// dropped.
    private mutating func creditProven() {
        let most = WalkEvidence.creditSecondsMax * Double(lastCadence) / 60
        unprovenSteps = min(unprovenSteps, most)
        evidence.proveIfEnough()
        guard evidence.isProven else { return }
        steps += unprovenSteps
        unprovenSteps = 0
    }

    private mutating func forgetUnproven(at time: Timestamp) {
        guard let lastStep, time.seconds(since: lastStep) > tuning.bridgeSeconds else { return }
        unprovenSteps = 0
        evidence.forgetProof()
    }

    /// ``rhythmSteps`` until any time near the last estimate, extrapolated with its gait.
    /// Counting is hop by hop and a hop late, so the count itself is up to two hops behind.
    ///
    /// It may fall by as much when steps end.
    func rhythmSteps(at time: Timestamp) -> Double {
        guard isWalking, let lastMotion else { return rhythmSteps }
        let bound = CadenceTuning.unseenSecondsMax
        let since = min(max(time.seconds(since: lastMotion), -bound), bound)
        return rhythmSteps + pendingSteps * (1 + since / Double(CadenceTuning.hopSeconds))
    }

    private func isGaitLike(_ seen: Observation) -> Bool {
        let shape = seen.shape
        let isBlow =
            seen.isAtHand && Double(seen.stepsPerMinute) >= tuning.runningStepsPerMinute
            && shape.bluntness > tuning.bluntnessMax
        return seen.amplitude >= tuning.walkFloor && seen.mass >= tuning.massToKeep
            && seen.stepsPerMinute >= tuning.stepsPerMinuteMin
            && shape.gaitShare >= tuning.gaitShare && shape.slowShare <= tuning.slowShareMax
            && !isBlow
    }

    private func isWheels(_ seen: Observation) -> Bool {
        guard let speed = seen.speed else { return false }
        return speed * 60 > tuning.stepMetersMax * Double(seen.stepsPerMinute)
    }

    private mutating func noteMotion(_ seen: Observation) -> Bool {
        var floor = seen.includesGravity ? tuning.motionFloor : tuning.freeMotionFloor
        if isWalking { floor = max(floor, tuning.motionShare * walkAmplitude) }
        // The amplitude is of the 0.8 s before.
        let began = seen.time.advanced(byMicroseconds: -800_000)
        if seen.recentAmplitude >= floor {
            if movingSince == nil { movingSince = began }
            quietSeconds = 0
            quietSince = nil
            return true
        }
        if quietSince == nil { quietSince = began }
        quietSeconds += CadenceTuning.hopSeconds
        if isStill {
            stop()
            movingSince = nil
        }
        return false
    }

    /// Processes one block of 0.2 s that ended at `time`.
    mutating func observe(blockAmplitude: Float, includesGravity: Bool, at time: Timestamp) {
        let floor = includesGravity ? tuning.motionFloor : tuning.freeMotionFloor
        guard isWalking, blockAmplitude < max(floor, tuning.motionShare * walkAmplitude) else {
            quietBlocks = 0
            haltedSince = nil
            return
        }
        quietBlocks += 1
        guard haltedSince == nil, quietBlocks >= tuning.haltBlocks else { return }
        let cells = Int64(quietBlocks * CadenceTuning.blockCells)
        haltedSince = time.advanced(byMicroseconds: -cells * CadenceTuning.cellMicroseconds)
    }

    private mutating func noteRegularity(_ seen: Observation) {
        guard isRegular else {
            if !isWalking {
                regularSeconds -= CadenceTuning.hopSeconds
                if regularSeconds <= 0 { forgetRegularity() }
            }
            return
        }
        if !isWalking, regularCadence > 0,
            abs(logf(seen.stepsPerMinute / regularCadence)) > tuning.sameGait
        {
            forgetRegularity()
        }
        regularCadence = seen.stepsPerMinute
        if regularSince == nil {
            let seconds = Double(seen.gaitCells) / Double(CadenceTuning.cellsPerSecond)
            regularSince = seen.time.advanced(bySeconds: -seconds)
        }
        regularSeconds += CadenceTuning.hopSeconds
    }

    private mutating func beginIfConfirmed(_ seen: Observation) {
        let sinceLast = lastStep.map { seen.time.seconds(since: $0) } ?? .infinity
        let isResumed = sinceLast <= tuning.bridgeSeconds
        let sameGait =
            lastCadence > 0 && abs(logf(seen.stepsPerMinute / lastCadence)) < tuning.resumedGait
        let needed = isResumed ? tuning.reconfirmSeconds : tuning.confirmSeconds
        guard regularSeconds >= needed - 0.01, let moving = movingSince, let regularSince else {
            return
        }
        var start = max(
            regularSince, moving, seen.time.advanced(bySeconds: -tuning.creditSecondsMax))
        if let lastStep {
            start = isResumed && moving <= lastStep && sameGait ? lastStep : max(start, lastStep)
        }
        let credit = seen.time.seconds(since: start) - Double(CadenceTuning.hopSeconds)
        let credited = max(0, credit) * Double(seen.stepsPerMinute) / 60
        unprovenSteps += credited
        rhythmSteps += credited
        isWalking = true
        irregularSeconds = 0
        walkAmplitude = seen.amplitude
        walkingSince = start
    }

    private mutating func stop() {
        isWalking = false
        pendingSteps = 0
        walkingSince = nil
        irregularSeconds = 0
        forgetRegularity()
    }

    private mutating func forgetRegularity() {
        regularSince = nil
        regularSeconds = 0
        regularCadence = 0
    }
}
