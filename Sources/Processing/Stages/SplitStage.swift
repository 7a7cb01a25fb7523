import SensorModel

/// Times kilometers, miles, and laps that the wearer's button ends.
///
/// - In: meters, moving time, heart rate, altitude; pauses and late fixes that change sent splits.
/// - Out: nothing. Emits `split`, `lap` and corrections of splits.
struct SplitStage: Sendable {
    private var splits = Splits()
    private var laps = Laps()
    private var isStarted = false

    /// - Parameters:
    ///   - meters: Meters of the session.
    ///   - isMeasured: Whether a fix measured them; a tick without new meters gives no information.
    ///   - movingTime: The pauses to leave out.
    ///   - now: Current heart rate and altitude.
    ///   - context: Context of the fix, or of the whole second.
    mutating func follow(
        meters: Double, isMeasured: Bool, movingTime: MovingTime, now: Splits.Context,
        _ context: inout StageContext
    ) {
        if !isStarted {
            isStarted = true
            splits.start(at: context.time, altitude: now.altitude)
        }
        let done = splits.update(
            meters: meters, at: context.time, isMeasured: isMeasured, movingTime: movingTime,
            context: now)
        for split in done { context.emit(.split(split)) }
    }

    /// Corrects splits after a pause was dated back.
    mutating func correct(by movingTime: MovingTime, _ context: inout StageContext) {
        for split in splits.correct(by: movingTime) {
            context.emitAlone(.correction(.split(split)))
        }
    }

    /// Corrects splits after a late fix changed the path.
    mutating func correct(
        by change: LateFixes.Change, movingTime: MovingTime, _ context: inout StageContext
    ) {
        for split in splits.correct(by: change, movingTime: movingTime) {
            context.emitAlone(.correction(.split(split)))
        }
    }

    /// Ends a lap. All values are totals of the session so far.
    mutating func markLap(
        movingSeconds: Double, meters: Double?, heartRate: (beats: Double, seconds: Double),
        _ context: inout StageContext
    ) {
        context.emit(
            .lap(laps.mark(movingSeconds: movingSeconds, meters: meters, heartRate: heartRate)))
    }
}
