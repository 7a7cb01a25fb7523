import SensorModel

/// Device time made steady: never backwards, never a leap that nobody ran.
///
/// A watch sets its clock when it first hears a satellite or a phone. All times the processors see
/// are session time: device time plus a shift that absorbs such jumps, so that sums of seconds hold.
///
///     device   10 11 12 | 500000 500001      |  11  12  13
///     session  10 11 12 |     13     14      |  15  16  17
struct SessionClock: Sendable {
    struct Parameters: Sendable {
        /// Sensors of one device lag each other by buffers of about 10 s; what is further behind
        /// is either late or a clock set back.
        var backwardSlackSeconds = 30.0
        /// A longer hole is believed only when a second sample agrees: one frame with a wrong
        /// date must not move the session.
        var confirmedHoleSeconds = 3600.0
        /// A longer hole is a clock that was set, not time that passed: no run has a day without
        /// a single sample.
        var holeSecondsMax = 86_400.0
        /// Samples in a row behind the slack that prove a clock set back.
        var backwardSamples = 20
        /// The same where the device sends live, and goes on to do so for these seconds.
        var backwardLiveSamples = 3
        var backwardLiveSeconds = 2.0
    }

    enum Arrival: Hashable, Sendable {
        /// Moves the session on to this time.
        case current(Timestamp)
        /// Belongs before now; must not move it.
        case behind(Timestamp)
        /// Not believed yet.
        case doubted
    }

    let parameters: Parameters
    /// Session time of the first sample.
    private(set) var start: Timestamp?
    /// Session time of the newest sample.
    private(set) var now = Timestamp(microseconds: .min)
    /// Session time = device time + this.
    private(set) var shiftMicroseconds: Int64 = 0
    /// When the sample in hand came; `nil`: not known.
    var arrival: Timestamp?
    private var rhythm = ArrivalRhythm()
    private var samplesBehind = 0
    /// The first of them, and when it came.
    private var firstBehind: (time: Timestamp, arrival: Timestamp?)?
    private var doubted: Timestamp?

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    func deviceTime(_ session: Timestamp) -> Timestamp {
        session.advanced(byMicroseconds: -shiftMicroseconds)
    }

    func sessionTime(_ device: Timestamp) -> Timestamp {
        device.advanced(byMicroseconds: shiftMicroseconds)
    }

    /// The short way for a sample that follows the last one closely.
    mutating func advance(to time: Timestamp) {
        now = time
        samplesBehind = 0
        doubted = nil
        rhythm.moved(to: time, at: arrival)
    }

    /// - Parameters:
    ///   - deviceTime: As the device stamped it.
    ///   - late: Known to belong into an earlier gap: says nothing about the clock.
    ///   - isCertain: Too precious to be doubted.
    /// - Returns: Session time of the sample, and whether it moves the session on.
    mutating func arrive(
        _ deviceTime: Timestamp, late: Bool, isCertain: Bool = false
    ) -> Arrival {
        let time = sessionTime(deviceTime)
        guard start != nil else {
            start = time
            advance(to: time)
            return .current(time)
        }
        let ahead = time.seconds(since: now)
        if late { return .behind(ahead > 0 ? now : time) }
        if ahead >= 0 {
            samplesBehind = 0
            return forward(time, ahead: ahead, isCertain: isCertain)
        }
        guard -ahead > parameters.backwardSlackSeconds else {
            samplesBehind = 0
            return .behind(time)
        }
        if samplesBehind == 0 { firstBehind = (time, arrival) }
        samplesBehind += 1
        guard samplesBehind >= parameters.backwardSamples || isLiveBehind(time) else {
            return .behind(time)
        }
        return set(to: deviceTime)
    }

    /// Whether samples behind keep coming at the pace of time: a buffer that is emptied late comes
    /// at once.
    private func isLiveBehind(_ time: Timestamp) -> Bool {
        guard samplesBehind >= parameters.backwardLiveSamples,
            rhythm.secondsPassed(at: arrival) != nil, let arrival, let firstBehind,
            let firstArrival = firstBehind.arrival
        else { return false }
        let passed = arrival.seconds(since: firstArrival)
        return passed >= parameters.backwardLiveSeconds
            && abs(time.seconds(since: firstBehind.time) - passed) < passed / 2
    }

    private mutating func forward(
        _ time: Timestamp, ahead: Double, isCertain: Bool
    ) -> Arrival {
        let isLeap = rhythm.isLeap(ahead: ahead, at: arrival)
        guard ahead > parameters.confirmedHoleSeconds || isLeap else {
            advance(to: time)
            return .current(time)
        }
        let isConfirmed = doubted.map {
            abs(time.seconds(since: $0)) < parameters.confirmedHoleSeconds
        }
        guard isCertain || isConfirmed == true else {
            doubted = time
            return .doubted
        }
        if ahead > parameters.holeSecondsMax || isLeap { return set(to: deviceTime(time)) }
        advance(to: time)
        return .current(time)
    }

    /// The device's clock was set: from here on it means as much after the last sample as has
    /// passed since, or a microsecond where nobody knows.
    private mutating func set(to deviceTime: Timestamp) -> Arrival {
        let passed = rhythm.secondsPassed(at: arrival) ?? 0
        let next = now.advanced(byMicroseconds: max(1, Int64(passed * 1e6)))
        shiftMicroseconds = next.microseconds &- deviceTime.microseconds
        advance(to: next)
        return .current(next)
    }
}
