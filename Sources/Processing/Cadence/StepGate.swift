import Glibc
import SensorModel

/// Decides whether the motion is steps, and counts them.
///
///     idle --(regular gait for confirmSeconds)--> walking: its start is credited at once
///     walking --(still, or irregular for long)--> idle
///
/// While walking, steps are the integral of the cadence over the time in motion: within a gait
/// nothing is missed for a soft step and nothing counted twice for a hard one, where counters of
/// peaks lose or win a few percent. A gait must repeat itself stride by stride, which driving, desk
/// work and gestures do not do for seconds.
struct StepGate: Sendable {
    /// One estimate, as the gate judges it.
    struct Observation: Sendable {
        var time: Timestamp
        var stepsPerMinute: Float
        var mass: Float
        var amplitude: Float
        var recentAmplitude: Float
        var periodicity: Float
        var shape: GaitShape
        /// Cells that were analysed, and these with the transition before them.
        var cells: Int
        var gaitCells: Int
        /// m/s; `nil` when unknown.
        var speed: Double?
        var includesGravity = true
        /// The sensor is worn at wrist or hand.
        var isAtHand = false
    }

    private let tuning: CadenceTuning
    /// Steps and parts of steps.
    private(set) var steps = 0.0
    /// Those of the newest hop: they count when the next one is still in motion, since a stop
    /// shows in the amplitude only half a second later.
    private var pendingSteps = 0.0
    private(set) var isWalking = false
    /// The present estimate may be shown.
    private(set) var isRegular = false
    /// Since when the sensor moves; `nil` while it is quiet.
    private(set) var movingSince: Timestamp?
    /// Since when it is quiet; `nil` while it moves.
    private(set) var quietSince: Timestamp?
    private(set) var walkingSince: Timestamp?

    private var quietSeconds: Float = 0
    private var regularSeconds: Float = 0
    private var regularSince: Timestamp?
    private var regularCadence: Float = 0
    private var irregularSeconds: Float = 0
    /// Of the present walk, or of the last one, g.
    private(set) var walkAmplitude: Float = 0
    /// Blocks in a row that were quiet against the walk.
    private var quietBlocks = 0
    /// Since when a walk has halted, known a second later and before it counts as over; `nil`
    /// while it goes on.
    private(set) var haltedSince: Timestamp?
    private var lastStep: Timestamp?
    /// The last look that found steps going on: they are counted until a hop before it.
    private var lastMotion: Timestamp?
    private var lastCadence: Float = 0

    init(tuning: CadenceTuning) {
        self.tuning = tuning
    }

    /// Long enough quiet to call it standing.
    var isStill: Bool { quietSeconds >= tuning.stillSeconds }

    /// The samples have a hole: what was going on is over, the count stays.
    mutating func restart() {
        stop()
        movingSince = nil
        quietSince = nil
        quietSeconds = 0
    }

    mutating func observe(_ seen: Observation) {
        let inMotion = noteMotion(seen)
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
        guard isWalking else { return }
        if inMotion {
            steps += pendingSteps
            pendingSteps = Double(CadenceTuning.hopSeconds * seen.stepsPerMinute / 60)
            lastMotion = seen.time
        }
        lastStep = seen.time
        lastCadence = seen.stepsPerMinute
    }

    /// Steps and parts of steps until any moment near the last look, as its gait goes on. They are
    /// counted hop by hop and a hop late, so the count itself is up to two hops behind.
    ///
    /// May fall by as much when steps end.
    func steps(at time: Timestamp) -> Double {
        guard isWalking, let lastMotion else { return steps }
        let bound = CadenceTuning.unseenSecondsMax
        let since = min(max(time.seconds(since: lastMotion), -bound), bound)
        return steps + pendingSteps * (1 + since / Double(CadenceTuning.hopSeconds))
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
        // The amplitude is that of the 0.8 s before.
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

    /// One block of 0.2 s, which ended at `time`.
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
        steps += max(0, credit) * Double(seen.stepsPerMinute) / 60
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
