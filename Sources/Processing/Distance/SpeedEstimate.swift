import SensorModel

/// The current speed and its uncertainty: from Doppler if the receiver sends it, otherwise from the
/// path of the last seconds, otherwise from steps.
struct SpeedEstimate: Sendable {
    struct Parameters: Sendable {
        /// Seconds. A stride lasts 0.7 s, Doppler noise is 0.3 m/s, and a start must show within 2
        /// s.
        var dopplerTimeConstant = 2.0
        /// Seconds of path for a speed without Doppler.
        var trackSeconds = 6.0
        /// A speed is stale after this many seconds, or after `staleIntervals` if longer.
        var staleSecondsMin = 4.0
        var staleIntervals = 3.0
    }

    let parameters: Parameters
    private(set) var metersPerSecond: Double?
    private var variance = 0.25
    private var newestTime: Timestamp?
    /// Time and meters along the track, oldest first; at most ``trackPointsMax``.
    private var track: [(time: Timestamp, meters: Double)] = []
    private var trackMeters = 0.0
    private let trackPointsMax = 64

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    /// Half width of the 95 % interval, m/s.
    var uncertainty: Double? { metersPerSecond == nil ? nil : 1.96 * variance.squareRoot() }

    func isFresh(at time: Timestamp, rhythmSeconds: Double) -> Bool {
        guard let newestTime else { return false }
        let limit = max(parameters.staleSecondsMin, parameters.staleIntervals * rhythmSeconds)
        return time.seconds(since: newestTime) <= limit
    }

    mutating func add(_ step: FixGate.Step, factor: Double) {
        if step.isHole || step.isJump { restart(at: step.from) }
        trackMeters += step.isJump ? 0 : step.meters
        track.append((step.to, trackMeters))
        while let second = track.dropFirst().first,
            track.count > trackPointsMax
                || step.to.seconds(since: second.time) >= parameters.trackSeconds
        {
            track.removeFirst()
        }
        let measured: Double
        if let doppler = step.location.speed {
            measured = doppler * factor
        } else if let oldest = track.first, step.to > oldest.time {
            measured = (trackMeters - oldest.meters) / step.to.seconds(since: oldest.time)
        } else {
            measured = step.speed
        }
        smooth(measured, seconds: step.seconds, isDoppler: step.location.speed != nil)
        newestTime = step.to
    }

    /// Sets the speed from steps, while there are no positions.
    mutating func set(_ metersPerSecond: Double?, uncertainty: Double) {
        self.metersPerSecond = metersPerSecond
        let deviation = uncertainty / 1.96
        variance = deviation * deviation
    }

    mutating func restart(at time: Timestamp) {
        track.removeAll(keepingCapacity: true)
        track.append((time, trackMeters))
        metersPerSecond = nil
    }

    private mutating func smooth(_ measured: Double, seconds: Double, isDoppler: Bool) {
        guard let old = metersPerSecond else {
            metersPerSecond = measured
            return
        }
        let gain = isDoppler ? seconds / (parameters.dopplerTimeConstant + seconds) : 0.5
        let surprise = measured - old
        metersPerSecond = max(0, old + gain * surprise)
        variance += 0.1 * (min(surprise * surprise, 4) * gain + 0.002 - variance)
    }
}
