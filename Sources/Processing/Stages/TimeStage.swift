import SensorModel

/// Decides which samples are accepted, which whole seconds pass, and when metrics are due.
///
/// - In: device times, and arrival times of frames.
/// - Out: ``StageTimes``; elapsed seconds.
struct TimeStage: Sendable {
    /// Seconds of silence after which the samples since the last metrics are shown. It is longer
    /// than the time between two motion samples, and too short for a person to notice.
    static let unshownSeconds = 0.15
    /// Seconds of silence after which the whole session is stale, longer than for any live source.
    static let staleSeconds = 15.0

    private var clock = SessionClock()
    var moment = Timestamp(microseconds: .min)
    var heardAt = Timestamp(microseconds: .min)
    var shownAt = Timestamp(microseconds: .min)
    /// Session time of the next whole second of device time.
    var nextSecond = Timestamp(microseconds: .min)
    /// Whether metrics are due: a second began, or a state changed.
    private(set) var owesMetrics = false
    /// Whether a sample came after the last metrics.
    private(set) var isUnshown = false
    private var phase = Phase.running

    private enum Phase: Sendable {
        case running
        /// The device was silent for so long that the session counts as over. Its next sample
        /// continues the session.
        case resting
        case stopped
    }

    var isEnded: Bool { phase != .running }

    var isStarted: Bool { clock.start != nil }

    var times: StageTimes {
        StageTimes(
            start: clock.start, moment: moment, heardAt: heardAt, shownAt: shownAt,
            shiftMicroseconds: clock.shiftMicroseconds, isEnded: isEnded)
    }

    /// Device time of the newest accepted sample; `nil` before the first.
    var newestDeviceTime: Timestamp? { isStarted ? clock.deviceTime(clock.now) : nil }

    func sessionTime(_ deviceTime: Timestamp) -> Timestamp { clock.sessionTime(deviceTime) }

    /// Whether a sample with this time would count as current.
    func believes(_ deviceTime: Timestamp) -> Bool {
        var copy = clock
        return if case .current = copy.arrive(deviceTime, late: false) { true } else { false }
    }

    /// Whether the sample's lag is within the usual lag between sensors of one device.
    func isRecent(_ time: Timestamp) -> Bool {
        moment.seconds(since: time) <= clock.parameters.backwardSlackSeconds
    }

    // MARK: Samples

    /// - Parameter arrival: Arrival of the next frame, by the daemon's clock; `nil` if unknown.
    mutating func arrived(at arrival: Timestamp?) {
        clock.arrival = arrival
    }

    /// Fast path for a sample within the same second as the last one.
    ///
    /// - Returns: The sample's session time; `nil` if it needs ``arrive(_:late:claim:)``.
    @inline(__always)
    mutating func advance(to deviceTime: Timestamp) -> Timestamp? {
        let time = clock.sessionTime(deviceTime)
        guard !isEnded, time >= clock.now, time < nextSecond else { return nil }
        clock.advance(to: time)
        reach(time)
        return time
    }

    /// - Returns: The session time of the sample, and whether it is current. For a current one, the
    ///   caller ticks the seconds before it and then calls ``reach(_:)``.
    mutating func arrive(
        _ deviceTime: Timestamp, late: Bool, claim: SessionClock.Claim
    ) -> SessionClock.Arrival {
        guard phase != .stopped else { return .doubted }
        let isFirst = !isStarted
        let shift = clock.shiftMicroseconds
        let arrival = clock.arrive(deviceTime, late: late, claim: claim)
        if case .current(let time) = arrival {
            if isFirst || shift != clock.shiftMicroseconds { startSecond(at: time) }
            if phase == .resting {
                phase = .running
                owesMetrics = true
            }
        }
        return arrival
    }

    /// Advances the session to a sample.
    @inline(__always)
    mutating func reach(_ time: Timestamp) {
        moment = time
        heardAt = time
        shownAt = time
        isUnshown = true
    }

    /// Starts the second of `time`: metrics are due with its first sample.
    mutating func startSecond(at time: Timestamp) {
        let whole = clock.deviceTime(time).wholeSecond
        nextSecond = clock.sessionTime(whole).advanced(byMicroseconds: 1_000_000)
        owesMetrics = true
    }

    // MARK: Silence

    /// - Returns: Whether silence until `time` changes anything. It only ages the shown values.
    mutating func age(to time: Timestamp) -> Bool {
        guard time > shownAt else { return false }
        shownAt = time
        return true
    }

    func addDeadlines(to deadline: inout SilenceDeadline) {
        if isUnshown { deadline.add(heardAt.advanced(bySeconds: Self.unshownSeconds)) }
        deadline.add(heardAt.advanced(bySeconds: Self.staleSeconds + 0.001))
    }

    // MARK: Metrics

    mutating func oweMetrics() {
        owesMetrics = true
    }

    mutating func noteShown() {
        owesMetrics = false
        isUnshown = false
    }

    /// Sets whether the last samples still have to be shown. Metrics that are due stay due.
    mutating func set(unshown isUnshown: Bool) {
        self.isUnshown = isUnshown
    }

    mutating func stop() {
        phase = .stopped
    }

    mutating func rest() {
        phase = .resting
    }

    func show(in shown: inout Metrics, isPaused: Bool) {
        shown.state = state(isPaused: isPaused)
        shown.elapsedSeconds = times.elapsedSeconds(until: moment)
    }

    private func state(isPaused: Bool) -> ValueState {
        guard isStarted else { return .waiting }
        if isEnded { return .ended }
        if times.silenceSeconds > Self.staleSeconds { return .stale }
        return isPaused ? .paused : .live
    }
}
