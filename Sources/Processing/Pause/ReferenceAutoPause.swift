import SensorModel

/// The reference applications' auto-pause: thresholds on the device's speed alone.
///
/// It differs in two points. It counts seconds of event time instead of events, and it pauses when
/// the distance filter makes the source silent.
struct ReferenceAutoPause: Sendable {
    struct Parameters: Sendable {
        /// m/s.
        var pauseBelow = 0.5
        /// m/s, inclusive.
        var resumeFrom = 0.8
        var pauseAfterSeconds = 5.0
        /// Seconds without a fix that count as slow.
        var silenceSeconds = 5.0
    }

    enum Transition: Hashable, Sendable {
        case paused(since: Timestamp)
        case resumed(since: Timestamp)
    }

    let parameters: Parameters
    private(set) var isPaused = false
    private(set) var slowSince: Timestamp?
    private var newestFix: Timestamp?

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    /// - Parameters:
    ///   - speed: m/s; `nil` if unknown, which is neither slow nor fast.
    ///   - time: Time of the fix.
    /// - Returns: The transition completed by this fix.
    mutating func update(speed: Double?, at time: Timestamp) -> Transition? {
        newestFix = time
        guard let speed else {
            slowSince = nil
            return nil
        }
        if isPaused {
            guard speed >= parameters.resumeFrom else { return nil }
            isPaused = false
            slowSince = nil
            return .resumed(since: time)
        }
        guard speed < parameters.pauseBelow else {
            slowSince = nil
            return nil
        }
        let since = slowSince ?? time
        slowSince = since
        return pause(since: since, at: time)
    }

    /// Handles time without a fix.
    ///
    /// - Parameters:
    ///   - time: Current time.
    ///   - usualSeconds: Usual seconds of silence of this source.
    /// - Returns: The transition completed by the silence.
    mutating func tick(at time: Timestamp, usualSeconds: Double = 0) -> Transition? {
        guard !isPaused, let newestFix else { return nil }
        let limit = max(parameters.silenceSeconds, usualSeconds)
        if slowSince == nil, time.seconds(since: newestFix) >= limit {
            slowSince = newestFix
        }
        guard let slowSince else { return nil }
        return pause(since: slowSince, at: time)
    }

    mutating func reset() {
        isPaused = false
        slowSince = nil
    }

    private mutating func pause(since: Timestamp, at time: Timestamp) -> Transition? {
        guard time.seconds(since: since) >= parameters.pauseAfterSeconds else { return nil }
        isPaused = true
        return .paused(since: since)
    }
}
