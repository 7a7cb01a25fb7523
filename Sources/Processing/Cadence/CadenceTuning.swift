/// Every number the step counter decides by; times in seconds, amplitudes in g, cadences in
/// steps/min.
///
/// They were set on recordings of several people and body places. Moved by 20 % one at a time
/// they change the error of walking by 0.1 steps/min and of counted steps by 0.3 % at most. The
/// sharp ones: a lower `stepsPerMinuteMin` counts desk work, a higher `periodicityToStart` hides
/// 1 % of the walking, fewer `settledCells` show a new run before it is sure.
struct CadenceTuning: Sendable {
    // The grid on which everything runs.

    /// Cells a second: the third harmonic of 250 steps/min still fits below half of it, and a
    /// 12.5 Hz watch needs only one value interpolated between two of its own.
    static let cellsPerSecond = 25
    static let cellMicroseconds: Int64 = 40_000
    /// Cells of one block, the grain of change detection: 0.2 s.
    static let blockCells = 5
    /// Blocks from one estimate to the next: 0.4 s, so that a value is never older when read.
    static let hopBlocks = 2
    static let hopSeconds = Float(hopBlocks * blockCells) / Float(cellsPerSecond)
    /// Longest window: 5 s hold four strides of a slow walk.
    static let windowCells = 125
    /// Shortest window that is looked at: 1.4 s, two steps of a walk, four of a run.
    static let windowCellsMin = 35
    /// Seconds before and after the last look for which steps are told as its gait goes on: a
    /// batch of motion may come a second after the fix of the same time.
    static let unseenSecondsMax = 1.5
    /// A longer hole in the samples starts the analysis afresh.
    static let holeSeconds = 1.0

    // Change of gait: the power of the last 0.8 s against the 3 s before.

    /// Ratio of powers that cuts the window: gestures within a walk seldom make more.
    var changeRatio: Float = 12
    /// The same where one side reaches `runAmplitude`, g: then it is a walk that became a run.
    var runChangeRatio: Float = 4
    var runAmplitude: Float = 0.5
    /// Keeps noise of a resting sensor from being a change, g.
    var changeFloor: Float = 0.03
    /// The transition itself is left out as soon as `settledCells` remain after it: 0.6 s, 1.6 s.
    var transitionCells = 15
    var settledCells = 40

    // Change of cadence within a gait: the last 2 s against the estimate from 5 s.

    /// Cells of the quick look, and cells that the window must have for one.
    var quickCells = 50
    var quickFromCells = 90
    /// By how much (natural logarithm) the quick look must like another cadence better than the
    /// estimate, in so many looks one after the other.
    var quickAdvantage: Float = 3
    var quickLooks = 2

    // The tracker.

    /// Spread of the logarithm of cadence over one hop: 1.6 %, about 5 steps/min a second.
    var driftPerHop: Float = 0.016
    /// Chance of any other cadence after one hop: lets a wrong octave be left within seconds.
    var jumpPerHop: Float = 0.001
    /// The same after a change of power: the gait is probably new.
    var driftAtChange: Float = 0.06
    var jumpAtChange: Float = 0.7
    /// Weight of one window: successive windows share most of their samples.
    var windowWeight: Float = 0.28
    /// Weight of the only window since a change; it replaces its predecessor while it grows.
    var freshWeight: Float = 0.8
    /// A window shorter than this, 2.9 s, is fresh and weighed by the weights for short windows.
    var freshCells = 73

    /// Spread of the logarithm of the amplitude that goes with a cadence: persons, places and
    /// watches differ by half to double.
    var amplitudeSpread: Float = 0.5

    /// The 95 % interval: shares of the posterior's own width, which the overlap of windows makes
    /// too wide, and of how far the estimate moved in the 2 s by which it trails the runner.
    var widthShare: Float = 0.4
    var movementShare: Float = 1.3

    // What counts as steps.

    /// Motion: amplitude over 0.8 s, g. A quiet wrist at a desk stays below 0.02.
    var motionFloor: Float = 0.035
    /// The same without gravity, when all of the noise of three axes counts.
    var freeMotionFloor: Float = 0.06
    /// Standing after a walk with the same arm: below this share of the walk's amplitude.
    var motionShare: Float = 0.2
    /// Amplitude of the window, g: the softest walk seen had 0.05.
    var walkFloor: Float = 0.045
    /// Correlation of the window with itself one stride earlier, to begin and to go on.
    var periodicityToStart: Float = 0.45
    var periodicityToKeep: Float = 0.2
    /// Cells, 2.4 s, from which that correlation means anything.
    var periodicityCells = 60
    /// Steps/min: what pulls lower is drift, not gait.
    var stepsPerMinuteMin: Float = 48
    /// See ``GaitShape``. At most 1 % of the seconds of any recorded set had a `slowShare` over
    /// 0.15, and none of the treadmill runs at a wrist a `bluntness` over 0.1.
    var gaitShare: Float = 0.06
    var slowShareMax: Float = 0.35
    var bluntnessMax: Float = 0.3
    /// Mass of the posterior around its peak, to begin, to go on and to show the value.
    var massToStart: Float = 0.7
    var massToKeep: Float = 0.5
    var massToShow: Float = 0.5
    /// The same before `settledCells` of a new gait have come.
    var freshMassToShow: Float = 0.8
    /// Regular gait this long before the first step counts; then the start is credited.
    var confirmSeconds: Float = 2.4
    /// The same within `bridgeSeconds` of the last counted step.
    var reconfirmSeconds: Float = 0.8
    var bridgeSeconds = 6.0
    /// Logarithm of cadence: a larger step between two hops is not the same gait.
    var sameGait: Float = 0.1
    /// The same between the end of one gait and the start of the next.
    var resumedGait: Float = 0.15
    /// Most that is ever credited back.
    var creditSecondsMax = 8.0
    /// So many blocks in a row below `motionShare` of the walk are a halt, 1 s: the slowest walk has
    /// a step in each second.
    var haltBlocks = 5
    /// Motion of this share of the walk before may be its first steps.
    var vigorousShare: Float = 0.25
    /// Quiet this long ends a walk; irregular motion this long does, too.
    var stillSeconds: Float = 1.2
    var irregularSeconds: Float = 2.4
    /// A step longer than this, meters, is made by wheels.
    var stepMetersMax = 2.6
    /// A speed older than this, seconds, says nothing.
    var speedSecondsMax = 4.0
    /// From here a gait is called running, unless it is soft.
    var runningStepsPerMinute = 140.0

    init() {}
}
