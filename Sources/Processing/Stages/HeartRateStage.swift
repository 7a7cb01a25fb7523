import SensorModel

/// Selects the heart-rate source to show, and computes zone and totals.
///
/// - In: heart rates, the name of their source, cadence.
/// - Out: ``Reading``; the live heart rate; the integral for parts of the session. Emits
///   `sourceChanged` and `zoneChanged`.
struct HeartRateStage: Sendable {
    /// A shown heart rate.
    struct Reading: Sendable {
        var beatsPerMinute: Double
        var zone: Int
        /// Seconds that this reading adds to its zone.
        var seconds: Double
    }

    /// Interval at which silence refreshes the shown age of a live heart rate, seconds.
    private static let agedSeconds = 3.0

    private var zones: ZoneBounds
    private var sources = HeartRateSources()
    private var totals = HeartRateTotals()
    private var cadenceLock = CadenceLock()
    /// Source of the heart rates that follow.
    private var sourceName: String?
    private var shownSource: String?
    private var zone = HeldZone()

    init(profile: RunnerProfile) {
        zones = ZoneBounds(profile: profile)
    }

    mutating func set(profile: RunnerProfile) {
        zones = ZoneBounds(profile: profile)
    }

    mutating func set(source name: String) {
        sourceName = name
    }

    /// Number of heart rates that were left out because they changed too fast to be plausible.
    var doubtedCount: Int { sources.doubtedCount }

    /// Zone of the live heart rate, from 1; `nil` if there is none.
    func liveZone(at time: Timestamp) -> Int? { live(at: time).map(zones.zone) }

    /// The live heart rate, beats/min; `nil` if there is none.
    func live(at time: Timestamp) -> Double? {
        guard let source = sources.currentSource, sources.isLive(source, at: time) else {
            return nil
        }
        return source.beatsPerMinute
    }

    /// The heart rate's integral, beats/min × s, and its seconds; those of a part by difference.
    func integral(at time: Timestamp) -> (beats: Double, seconds: Double) {
        totals.integral(at: time)
    }

    // MARK: Samples

    /// - Returns: The reading; `nil` for a sample that is not shown.
    mutating func add(_ sample: HeartRateSample, _ context: inout StageContext) -> Reading? {
        let taken = sources.add(sample, source: sourceName, at: context.time)
        noteSource(&context)
        guard case .shown(let beatsPerMinute) = taken else { return nil }
        let zone = zones.zone(beatsPerMinute)
        let seconds = totals.add(
            beatsPerMinute, zone: zone, zoneCount: zones.count, at: context.time)
        if let change = self.zone.update(beatsPerMinute, bounds: zones, at: context.time) {
            context.emit(.zoneChanged(from: change.from, to: change.to))
        }
        return Reading(beatsPerMinute: beatsPerMinute, zone: zone, seconds: seconds)
    }

    private mutating func noteSource(_ context: inout StageContext) {
        guard let source = sources.currentSource, let name = source.name, name != shownSource
        else { return }
        context.emit(.sourceChanged(from: shownSource, to: name))
        shownSource = name
    }

    // MARK: Whole seconds

    mutating func tick(stepsPerMinute: Double?, _ context: inout StageContext) {
        sources.choose(at: context.time)
        noteSource(&context)
        cadenceLock.tick(beatsPerMinute: live(at: context.time), stepsPerMinute: stepsPerMinute)
    }

    // MARK: Metrics

    func addDeadlines(to deadline: inout SilenceDeadline, at times: StageTimes) {
        guard let source = sources.currentSource else { return }
        let stale = sources.staleSeconds(source)
        deadline.add(source.newest.advanced(bySeconds: stale + 0.001))
        if sources.isLive(source, at: times.shownAt) {
            deadline.add(times.shownAt.advanced(bySeconds: Self.agedSeconds))
        }
    }

    func show(in shown: inout Metrics, at times: StageTimes) {
        guard let source = sources.currentSource, source.beatsPerMinute > 0 else { return }
        let isLive = sources.isLive(source, at: times.shownAt)
        shown.heartRate = HeartRateMetric(
            beatsPerMinute: source.beatsPerMinute,
            zone: isLive ? zones.zone(source.beatsPerMinute) : nil,
            state: times.isEnded ? .ended : isLive ? .live : .stale,
            ageSeconds: max(0, times.shownAt.seconds(since: source.newest)), source: source.name,
            rmssdMilliseconds: isLive ? source.variability.rmssdMilliseconds : nil,
            cadenceLockSuspected: cadenceLock.isSuspected,
            spikeSuspected: isLive && source.doubtedSince != nil)
        shown.zoneSeconds = totals.zoneSeconds
        shown.averageHeartRate = totals.average(at: times.moment)
        shown.maxHeartRate = totals.maximum
    }
}
