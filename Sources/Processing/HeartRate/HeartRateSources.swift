import SensorModel

/// One heart rate out of what several sensors say.
///
/// A source is live as long as its own rhythm explains its silence. The current source stays until
/// it falls silent or off the skin, or until a better one (beats in intervals: a chest strap) has
/// been live for a while; so the display does not flicker between two.
struct HeartRateSources: Sendable {
    struct Parameters: Sendable {
        /// A source is never stale sooner, seconds: optical sensors report every 5.
        var staleSecondsMin = 6.0
        /// Nor live longer, seconds.
        var staleSecondsMax = 15.0
        /// In intervals of the source.
        var staleIntervals = 3.0
        /// Seconds a better source must be live before it takes over.
        var takeoverSeconds = 10.0
        /// A jump by more than this within ``spikeSeconds``, or from one sample of a slower source
        /// to the next (``spikeIntervals``), is doubted, beats/min.
        var spikeBeats = 35.0
        var spikeSeconds = 4.0
        var spikeIntervals = 1.5
        /// A doubted value that stays so many seconds is true: at one a second the third, while a
        /// watch that repeats its value 20 times a second convinces nobody by that.
        var doubtSeconds = 2.0
        var sourcesMax = 4
    }

    struct Source: Sendable {
        var name: String?
        var newest: Timestamp
        var beatsPerMinute: Double
        var intervalSeconds: Double?
        var liveSince: Timestamp
        var isOffSkin = false
        var sendsBeats = false
        /// Since when its values are doubted.
        var doubtedSince: Timestamp?
        var variability = HeartRateVariability()
    }

    let parameters: Parameters
    private(set) var sources: [Source] = []
    private(set) var current: Int?
    /// Readings of the current source that were doubted when they came, so never shown.
    private(set) var doubtedCount = 0

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    var currentSource: Source? { current.map { sources[$0] } }

    func staleSeconds(_ source: Source) -> Double {
        let rhythm = parameters.staleIntervals * (source.intervalSeconds ?? 5)
        return min(max(rhythm, parameters.staleSecondsMin), parameters.staleSecondsMax)
    }

    func isLive(_ source: Source, at time: Timestamp) -> Bool {
        !source.isOffSkin && time.seconds(since: source.newest) <= staleSeconds(source)
    }

    enum Taken: Hashable, Sendable {
        /// The current source's, and plausible.
        case shown(Double)
        /// Another source's, a doubted one, off the skin, or an old one.
        case hidden
    }

    /// - Returns: What of this sample is the heart rate.
    mutating func add(_ sample: HeartRateSample, source name: String?, at time: Timestamp) -> Taken
    {
        let index = place(of: name, at: time)
        var source = sources[index]
        let isNew = source.intervalSeconds == nil && source.newest == time
        guard isNew || time > source.newest else { return .hidden }
        let silence = time.seconds(since: source.newest)
        let rhythm = source.intervalSeconds
        if !isNew {
            if silence > parameters.staleSecondsMax || source.isOffSkin { source.liveSince = time }
            let interval = min(silence, 10)
            source.intervalSeconds =
                source.intervalSeconds.map { $0 + 0.2 * (interval - $0) } ?? interval
        }
        source.isOffSkin = sample.contact == .off
        source.sendsBeats = source.sendsBeats || !sample.rrIntervals.isEmpty
        source.variability.add(sample.rrIntervals)
        let jump = abs(sample.beatsPerMinute - source.beatsPerMinute)
        let usual = parameters.spikeIntervals * (rhythm ?? 0)
        let isSpike =
            !isNew && silence < max(parameters.spikeSeconds, usual)
            && jump > parameters.spikeBeats
            && (source.doubtedSince.map { time.seconds(since: $0) } ?? 0) < parameters.doubtSeconds
        source.doubtedSince = isSpike ? source.doubtedSince ?? time : nil
        if !isSpike { source.beatsPerMinute = sample.beatsPerMinute }
        source.newest = time
        sources[index] = source
        choose(at: time)
        if isSpike, current == index { doubtedCount += 1 }
        return current == index && !source.isOffSkin ? .shown(source.beatsPerMinute) : .hidden
    }

    /// Silence may hand over to another source.
    mutating func choose(at time: Timestamp) {
        let live = sources.indices.filter { isLive(sources[$0], at: time) }
        guard let now = current, sources.indices.contains(now), live.contains(now) else {
            // Nobody live: stay with the last one, which is shown as stale.
            current =
                live.max { sources[$0].newest < sources[$1].newest } ?? current
                ?? sources.indices.first
            return
        }
        guard !sources[now].sendsBeats else { return }
        for index in live where index != now && sources[index].sendsBeats {
            let liveFor = time.seconds(since: sources[index].liveSince)
            if liveFor >= parameters.takeoverSeconds { current = index }
        }
    }

    private mutating func place(of name: String?, at time: Timestamp) -> Int {
        if let index = sources.firstIndex(where: { $0.name == name }) { return index }
        let fresh = Source(name: name, newest: time, beatsPerMinute: 0, liveSince: time)
        guard sources.count == parameters.sourcesMax else {
            sources.append(fresh)
            return sources.count - 1
        }
        let oldest =
            sources.indices.filter { $0 != current }
            .min { sources[$0].newest < sources[$1].newest } ?? 0
        sources[oldest] = fresh
        return oldest
    }
}
