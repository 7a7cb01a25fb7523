import SensorModel

/// Session time: device time that never goes backwards and never skips time that did not pass.
///
/// A watch sets its clock when it first receives a satellite or a phone. Processors use session
/// time only: device time plus a shift that absorbs such jumps. So sums of seconds stay right.
///
///     device   10 11 12 | 500000 500001      |  11  12  13
///     session  10 11 12 |     13     14      |  15  16  17
struct SessionClock: Sendable {
    struct Parameters: Sendable {
        /// Buffers delay sensors of one device by about 10 s relative to each other. A sample
        /// further behind is late, or the clock was set back.
        var backwardSlackSeconds = 30.0
        /// A second sample must confirm a longer hole, so that one frame with a wrong date does not
        /// move the session.
        var confirmedHoleSeconds = 3600.0
        /// A longer hole means that the clock was set: no run has a day without a single sample.
        var holeSecondsMax = 86_400.0
        /// Consecutive samples behind the slack that prove that the clock was set back.
        var backwardSamples = 20
        /// The same if the device sends live, for at least `backwardLiveSeconds`.
        var backwardLiveSamples = 3
        var backwardLiveSeconds = 2.0
    }

    enum Arrival: Hashable, Sendable {
        /// The sample advances the session to this time.
        case current(Timestamp)
        /// The sample belongs to an earlier time and must not move the session.
        case behind(Timestamp)
        /// The sample needs confirmation by a second one.
        case doubted
    }

    /// The reliability of a sample's time.
    enum Claim {
        case usual
        /// The time needs no confirmation by a second sample.
        case certain
        /// Watches hold back samples of this kind and send a minute of them at once. Many of them
        /// behind a sample of another kind do not prove that the clock was set.
        case batched
    }

    let parameters: Parameters
    /// Session time of the first sample.
    private(set) var start: Timestamp?
    /// Session time of the newest sample.
    private(set) var now = Timestamp(microseconds: .min)
    /// Session time minus device time.
    private(set) var shiftMicroseconds: Int64 = 0
    /// Arrival of the current sample; `nil` if unknown.
    var arrival: Timestamp?
    private var rhythm = ArrivalRhythm()
    private var samplesBehind = 0
    /// Number of samples behind that came in a batch after a sample of another kind.
    private var samplesBatched = 0
    /// Whether the sample that moved the session was of a kind that comes in batches.
    private var isMovedByBatched = false
    /// The first sample behind, and its arrival.
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

    /// Advances the session to a sample soon after the last one, without checks.
    mutating func advance(to time: Timestamp) {
        now = time
        forgetBehind()
        isMovedByBatched = false
        doubted = nil
        rhythm.moved(to: time, at: arrival)
    }

    /// - Parameters:
    ///   - deviceTime: The device's timestamp.
    ///   - late: Whether the sample belongs to an earlier gap, and so says nothing about the clock.
    ///   - claim: Reliability of the sample's time.
    /// - Returns: Session time of the sample, and whether it advances the session.
    mutating func arrive(
        _ deviceTime: Timestamp, late: Bool, claim: Claim = .usual
    ) -> Arrival {
        let time = sessionTime(deviceTime)
        guard start != nil else {
            start = time
            advance(to: time)
            isMovedByBatched = claim == .batched
            return .current(time)
        }
        let ahead = time.seconds(since: now)
        if late { return .behind(ahead > 0 ? now : time) }
        if ahead >= 0 {
            forgetBehind()
            let outcome = forward(time, ahead: ahead, isCertain: claim == .certain)
            if case .current = outcome { isMovedByBatched = claim == .batched }
            return outcome
        }
        guard -ahead > parameters.backwardSlackSeconds else {
            forgetBehind()
            return .behind(time)
        }
        if samplesBehind == 0 { firstBehind = (time, arrival) }
        samplesBehind += 1
        if claim == .batched, !isMovedByBatched { samplesBatched += 1 }
        guard samplesBehind - samplesBatched >= parameters.backwardSamples || isLiveBehind(time)
        else { return .behind(time) }
        return set(to: deviceTime)
    }

    private mutating func forgetBehind() { (samplesBehind, samplesBatched) = (0, 0) }

    /// Returns whether the samples behind continue in real time. A buffer that is emptied late
    /// arrives all at once.
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

    /// Sets the shift after the device's clock was set. Session time advances by the time that
    /// passed since the last sample, or by a microsecond if that is unknown.
    private mutating func set(to deviceTime: Timestamp) -> Arrival {
        let passed = rhythm.secondsPassed(at: arrival) ?? 0
        let next = now.advanced(byMicroseconds: max(1, Int64(passed * 1e6)))
        shiftMicroseconds = next.microseconds &- deviceTime.microseconds
        advance(to: next)
        return .current(next)
    }
}
