import SensorModel

/// Selects one heart rate from several sensors.
///
/// A source is live as long as its own rhythm explains its silence. The current source stays until
/// it is silent or off the skin. A better source (with RR intervals: a chest strap) replaces it
/// after it has been live for a while. So the display does not flicker between two sources.
struct HeartRateSources: Sendable {
    struct Parameters: Sendable {
        /// Minimum seconds until a source is stale: optical sensors report every 5 s.
        var staleSecondsMin = 6.0
        /// Maximum seconds until a source is stale.
        var staleSecondsMax = 15.0
        /// Silence until a source is stale, in intervals of the source.
        var staleIntervals = 3.0
        /// Seconds for which a better source must be live before it becomes the current one.
        var takeoverSeconds = 10.0
        /// Change that is doubted, beats/min: within ``spikeSeconds``, or from one sample of a
        /// slower source to the next (``spikeIntervals``).
        var spikeBeats = 35.0
        var spikeSeconds = 4.0
        var spikeIntervals = 1.5
        /// Seconds after which a doubted value is accepted: the third value at one a second.
        /// Repeating a value 20 times a second does not get it accepted sooner.
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
        /// Start of the doubt about the source's values; `nil` if they are not doubted.
        var doubtedSince: Timestamp?
        var variability = HeartRateVariability()
    }

    let parameters: Parameters
    private(set) var sources: [Source] = []
    private(set) var current: Int?
    /// Readings of the current source that were doubted and never shown.
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
        /// A plausible value of the current source.
        case shown(Double)
        /// A value of another source, a doubted one, one off the skin, or an old one.
        case hidden
    }

    /// - Returns: Whether this sample is shown, and its value.
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

    /// Selects the current source; a silent source may lose its place.
    mutating func choose(at time: Timestamp) {
        let live = sources.indices.filter { isLive(sources[$0], at: time) }
        guard let now = current, sources.indices.contains(now), live.contains(now) else {
            // If no source is live, the last one stays and is shown as stale.
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
