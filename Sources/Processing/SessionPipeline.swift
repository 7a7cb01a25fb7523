public import SensorModel

/// All processors of one session, in their fixed order.
///
/// Pure: the same calls give the same events, byte for byte, which is what makes a replay a proof.
/// Nothing here knows a clock, a socket or a log.
///
///     sample → clock → second ticks → its processors → events, one metrics a second
///
/// `late: true` marks a sample that belongs into an earlier gap. It never moves the session's time.
public struct SessionPipeline: Sendable {
    /// Changes whenever the same samples give other events.
    public static let algorithmVersion: UInt16 = 1

    var profile: RunnerProfile
    var clock = SessionClock()
    var movingTime = MovingTime()

    /// Session time of the next whole second of device time.
    var nextSecond = Timestamp(microseconds: .min)
    /// How far silence has aged what is shown; not before ``SessionClock/now``.
    var shownAt = Timestamp(microseconds: .min)
    /// Metrics are owed: a second began, or a state changed.
    var owesMetrics = false
    var isEnded = false

    public init(profile: RunnerProfile) {
        self.profile = profile
    }

    // MARK: Samples

    public mutating func apply(
        profile: RunnerProfile, at deviceTime: Timestamp, into events: inout [StreamEvent]
    ) {
        self.profile = profile
        guard let time = admit(deviceTime, late: false, into: &events) else { return }
        settle(at: time, into: &events)
    }

    public mutating func apply(
        motion: MotionSample, traits: MotionTraits, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let time = admit(deviceTime, late: late, into: &events) else { return }
        _ = motion
        settle(at: time, into: &events)
    }

    public mutating func apply(
        heartRate: HeartRateSample, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let time = admit(deviceTime, late: late, into: &events) else { return }
        settle(at: time, into: &events)
    }

    public mutating func apply(
        location: Location, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let time = admit(deviceTime, late: late, into: &events) else { return }
        settle(at: time, into: &events)
    }

    /// - Parameters:
    ///   - hectopascals: Air pressure, 300…1200.
    ///   - deviceTime: When it was measured.
    ///   - late: Belongs into an earlier gap.
    ///   - events: What follows from it is appended.
    public mutating func apply(
        pressure hectopascals: Float, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let time = admit(deviceTime, late: late, into: &events) else { return }
        settle(at: time, into: &events)
    }

    public mutating func apply(
        control: ControlAction, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let time = admit(deviceTime, late: late, into: &events) else { return }
        settle(at: time, into: &events)
    }

    public mutating func apply(
        status: DeviceStatus, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let time = admit(deviceTime, late: late, into: &events) else { return }
        settle(at: time, into: &events)
    }

    public mutating func apply(
        marker: String, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let time = admit(deviceTime, late: late, into: &events) else { return }
        emit(.marker(marker), at: time, into: &events)
        settle(at: time, into: &events)
    }

    /// Names where the heart rates that follow come from.
    public mutating func apply(
        source: String, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let time = admit(deviceTime, late: late, into: &events) else { return }
        settle(at: time, into: &events)
    }

    /// Sequences that never came. Says nothing about the clock: `deviceTime` is only its stamp.
    public mutating func apply(
        gapFrom first: FrameSequence, to last: FrameSequence, at deviceTime: Timestamp,
        into events: inout [StreamEvent]
    ) {
        events.append(StreamEvent(deviceTime: deviceTime, kind: .gap(from: first, to: last)))
    }

    /// The course to follow; `nil` takes it away.
    public mutating func apply(
        course: Course?, at deviceTime: Timestamp, into events: inout [StreamEvent]
    ) {
        guard let time = admit(deviceTime, late: false, into: &events) else { return }
        settle(at: time, into: &events)
    }

    // MARK: Silence and end

    /// Nothing came for a while: `deviceTime` is what the device's clock should say by now.
    ///
    /// Changes only what is stale and the state; never distance, time or pauses, which the device
    /// may yet report for the same moments.
    public mutating func applySilence(
        at deviceTime: Timestamp, into events: inout [StreamEvent]
    ) {
        guard !isEnded, clock.start != nil else { return }
        let time = clock.sessionTime(deviceTime)
        guard time > shownAt, time > clock.now else { return }
        shownAt = time
        emit(.metrics(metrics), at: time, into: &events)
    }

    /// Device time at which silence alone would change a state; `nil`: nothing to wait for.
    public var nextSilenceDeadline: Timestamp? { nil }

    public mutating func end(at deviceTime: Timestamp, into events: inout [StreamEvent]) {
        guard !isEnded else { return }
        let time = admit(deviceTime, late: false, into: &events) ?? clock.now
        isEnded = true
        emit(.metrics(metrics), at: time, into: &events)
        emit(.ended, at: time, into: &events)
        owesMetrics = false
    }

    // MARK: Time

    /// Lets the session's time reach the sample's, second by second.
    ///
    /// - Returns: Session time of the sample; `nil` when it is not believed or the session is over.
    mutating func admit(
        _ deviceTime: Timestamp, late: Bool, into events: inout [StreamEvent]
    ) -> Timestamp? {
        guard !isEnded else { return nil }
        let before = clock.now
        let isFirst = clock.start == nil
        switch clock.arrive(deviceTime, late: late) {
        case .doubted: return nil
        case .behind(let time): return time
        case .current(let time):
            if isFirst || time < nextSecond.advanced(bySeconds: -1) {
                startSecond(at: time)
            } else if time >= nextSecond {
                crossSeconds(from: before, to: time, into: &events)
            }
            shownAt = time
            return time
        }
    }

    private mutating func startSecond(at time: Timestamp) {
        let whole = clock.deviceTime(time).wholeSecond
        nextSecond = clock.sessionTime(whole).advanced(bySeconds: 1)
        owesMetrics = true
    }

    /// Ticks every second that has passed: each second in a hole of up to ``HoleTicks/secondsMax``,
    /// beyond that one a minute, so that a leap of time costs a bounded amount of work.
    private mutating func crossSeconds(
        from before: Timestamp, to time: Timestamp, into events: inout [StreamEvent]
    ) {
        while nextSecond <= time {
            let tick = nextSecond
            if tick.advanced(bySeconds: 1) <= time {
                shownAt = tick
                if tick.seconds(since: before) <= HoleTicks.shownSecondsMax || owesMetrics {
                    emit(.metrics(metrics), at: tick, into: &events)
                    owesMetrics = false
                }
            }
            let hole = tick.seconds(since: before)
            let step = hole < HoleTicks.secondsMax ? 1.0 : HoleTicks.coarseStepSeconds
            nextSecond = tick.advanced(bySeconds: step)
        }
        startSecond(at: time)
    }

    enum HoleTicks {
        static let secondsMax = 600.0
        static let coarseStepSeconds = 60.0
        /// By then everything is stale; later only what changes is told.
        static let shownSecondsMax = 60.0
    }

    mutating func settle(at time: Timestamp, into events: inout [StreamEvent]) {
        guard owesMetrics else { return }
        owesMetrics = false
        emit(.metrics(metrics), at: max(time, clock.now), into: &events)
    }

    func emit(_ kind: StreamEvent.Kind, at time: Timestamp, into events: inout [StreamEvent]) {
        events.append(StreamEvent(deviceTime: clock.deviceTime(time), kind: kind))
    }
}
