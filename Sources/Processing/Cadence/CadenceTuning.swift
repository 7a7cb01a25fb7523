/// All parameters of the step counter; times in seconds, amplitudes in g, cadences in steps/min.
///
/// They were set on recordings of several people and body places. A change of one parameter by 20 %
/// changes the error of walking by 0.1 steps/min and the counted steps by 0.3 % at most. Three are
/// sensitive: a lower `stepsPerMinuteMin` counts service work, a higher `periodicityToStart` misses
/// 1 % of the walking, and fewer `settledCells` show a new run before it is certain.
struct CadenceTuning: Sendable {
    // The grid of all computation.

    /// Cells a second. The third harmonic of 250 steps/min is below half of it, and a 12.5 Hz watch
    /// needs only one interpolated value between two samples.
    static let cellsPerSecond = 25
    static let cellMicroseconds: Int64 = 40_000
    /// Cells of one block, the resolution of change detection: 0.2 s.
    static let blockCells = 5
    /// Blocks between two estimates: 0.4 s, which is the greatest age of a value.
    static let hopBlocks = 2
    static let hopSeconds = Float(hopBlocks * blockCells) / Float(cellsPerSecond)
    /// Longest window: 5 s hold four strides of a slow walk.
    static let windowCells = 125
    /// Shortest window for an estimate: 1.4 s, two steps of a walk, four of a run.
    static let windowCellsMin = 35
    /// Seconds around the last estimate for which its gait is extrapolated. A batch of motion may
    /// arrive a second after the fix of the same time.
    static let unseenSecondsMax = 1.5
    /// A longer hole in the samples restarts the analysis.
    static let holeSeconds = 1.0

    // Change of gait: the power of the last 0.8 s against that of the 3 s before.

    /// Ratio of powers that cuts the window. Gestures within a walk are seldom above it.
    var changeRatio: Float = 12
    /// The same if one side reaches `runAmplitude`, g: a walk became a run, or the reverse.
    var runChangeRatio: Float = 4
    var runAmplitude: Float = 0.5
    /// Floor of power, g, so that noise of a resting sensor does not count as a change.
    var changeFloor: Float = 0.03
    /// Cells of the transition, 0.6 s. They are dropped once `settledCells` follow, 1.6 s.
    var transitionCells = 15
    var settledCells = 40

    // Change of cadence within a gait: the last 2 s against the estimate from 5 s.

    /// Cells of the quick check, and the minimum cells of the window for such a check.
    var quickCells = 50
    var quickFromCells = 90
    /// Minimum advantage (natural logarithm) of another cadence over the estimate in a quick check,
    /// and the number of consecutive checks that must show it.
    var quickAdvantage: Float = 3
    var quickLooks = 2

    // The tracker.

    /// Spread of the logarithm of cadence over one hop: 1.6 %, about 5 steps/min a second.
    var driftPerHop: Float = 0.016
    /// Probability of any other cadence after one hop: a wrong octave ends within seconds.
    var jumpPerHop: Float = 0.001
    /// Both values after a change of power, since the gait is probably new.
    var driftAtChange: Float = 0.06
    var jumpAtChange: Float = 0.7
    /// Weight of one window: successive windows share most of their samples.
    var windowWeight: Float = 0.28
    /// Weight of the only window since a change; it replaces its predecessor while it grows.
    var freshWeight: Float = 0.8
    /// A window shorter than this, 2.9 s, is fresh and uses the weights for short windows.
    var freshCells = 73

    /// Spread of the logarithm of the amplitude for a cadence. People, places and watches differ by
    /// a factor of 0.5 to 2.
    var amplitudeSpread: Float = 0.5

    /// Factors for the 95 % interval. The first scales the posterior's width, which overlapping
    /// windows make too wide. The second scales the estimate's change in 2 s, its lag behind the
    /// runner.
    var widthShare: Float = 0.4
    var movementShare: Float = 1.3

    // Conditions for steps.

    /// Minimum amplitude of motion over 0.8 s, g. A quiet wrist at a service stays below 0.02.
    var motionFloor: Float = 0.035
    /// The same for samples without gravity, where the noise of all three axes counts.
    var freeMotionFloor: Float = 0.06
    /// Share of the walk's amplitude below which the same arm counts as standing.
    var motionShare: Float = 0.2
    /// Minimum amplitude of the window, g: the weakest recorded walk has 0.05.
    var walkFloor: Float = 0.045
    /// Autocorrelation of the window at one stride, to begin and to continue.
    var periodicityToStart: Float = 0.45
    var periodicityToKeep: Float = 0.2
    /// Minimum cells for that correlation, 2.4 s.
    var periodicityCells = 60
    /// Minimum steps/min: lower values are drift, not gait.
    var stepsPerMinuteMin: Float = 48
    /// See ``GaitShape``. In every recorded set at most 1 % of the seconds have a `slowShare` over
    /// 0.15. No treadmill run at a wrist has a `bluntness` over 0.1.
    var gaitShare: Float = 0.06
    var slowShareMax: Float = 0.35
    var bluntnessMax: Float = 0.3
    /// Mass of the posterior around its peak, to begin, to continue and to show the value.
    var massToStart: Float = 0.7
    var massToKeep: Float = 0.5
    var massToShow: Float = 0.5
    /// The mass to show a value before `settledCells` of a new gait have passed.
    var freshMassToShow: Float = 0.8
    /// Seconds of regular gait before the first step counts; the start is then credited.
    var confirmSeconds: Float = 2.4
    /// The same within `bridgeSeconds` of the last counted step.
    var reconfirmSeconds: Float = 0.8
    var bridgeSeconds = 6.0
    /// Largest difference of the logarithm of cadence between two hops of one gait.
    var sameGait: Float = 0.1
    /// The same between the end of one gait and the start of the next.
    var resumedGait: Float = 0.15
    /// Maximum time that is credited back.
    var creditSecondsMax = 8.0
    /// Consecutive blocks below `motionShare` of the walk that make a halt, 1 s. The slowest walk
    /// has a step in each second.
    var haltBlocks = 5
    /// Share of the last walk's amplitude above which motion may be its first steps.
    var vigorousShare: Float = 0.25
    /// Quiet time that ends a walk; `irregularSeconds` of irregular motion end it too.
    var stillSeconds: Float = 1.2
    var irregularSeconds: Float = 2.4
    /// Whether a rhythm must be proven to be a walk before its steps count, see ``WalkEvidence``.
    var asksForProof = true
    /// Speed of the position that counts as evidence of a walk, m/s.
    var provenFromSpeed = 0.7
    /// Longest step, meters; a longer one means wheels.
    var stepMetersMax = 2.6
    /// Greatest age of a usable speed, seconds.
    var speedSecondsMax = 4.0
    /// Minimum cadence of running, unless the amplitude is small.
    var runningStepsPerMinute = 140.0

    init() {}
}
