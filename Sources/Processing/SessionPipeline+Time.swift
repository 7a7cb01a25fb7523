public import SensorModel

extension SessionPipeline {
    enum HoleTicks {
        /// Seconds of a hole that are ticked one by one; beyond it one a minute, so that a leap of
        /// time costs a bounded amount of work.
        static let secondsMax = 600.0
        static let coarseStepSeconds = 60.0
        /// By then everything is stale; later only what changes is told.
        static let shownSecondsMax = 60.0
    }

    /// Seconds of silence after which what came since the second's metrics is shown: longer than
    /// between two samples of motion, short against what a person notices.
    static let unshownSeconds = 0.15
    /// How far the age of a heart rate that is live may be behind.
    static let agedSeconds = 3.0
    /// Seconds of silence after which the whole session is stale: longer than any live source's.
    static let sessionStaleSeconds = 15.0

    /// Before a live frame: when it came, by the daemon's clock. Frames of a file have none.
    public mutating func arrived(at arrival: Timestamp) {
        clock.arrival = arrival
    }

    /// Lets the session's time reach the sample's, second by second.
    ///
    /// - Returns: Session time of the sample; `nil` when it is not believed or the session is over.
    mutating func admit(
        _ deviceTime: Timestamp, late: Bool, isCertain: Bool = false,
        into events: inout [StreamEvent]
    ) -> Timestamp? {
        guard !isEnded else { return nil }
        let isFirst = clock.start == nil
        let shift = clock.shiftMicroseconds
        switch clock.arrive(deviceTime, late: late, isCertain: isCertain) {
        case .doubted: return nil
        case .behind(let time): return time
        case .current(let time):
            if isFirst || shift != clock.shiftMicroseconds {
                startSecond(at: time)
            } else if time >= nextSecond {
                crossSeconds(to: time, into: &events)
                startSecond(at: time)
            }
            moment = time
            heardAt = time
            shownAt = time
            isUnshown = true
            return time
        }
    }

    /// The same, short for the sample that follows the last one within its second.
    @inline(__always)
    mutating func admitMotion(
        _ deviceTime: Timestamp, late: Bool, into events: inout [StreamEvent]
    ) -> Timestamp? {
        let time = clock.sessionTime(deviceTime)
        guard !late, !isEnded, time >= clock.now, time < nextSecond else {
            return admit(deviceTime, late: late, into: &events)
        }
        clock.advance(to: time)
        moment = time
        heardAt = time
        shownAt = time
        isUnshown = true
        return time
    }

    private mutating func startSecond(at time: Timestamp) {
        let whole = clock.deviceTime(time).wholeSecond
        nextSecond = clock.sessionTime(whole).advanced(byMicroseconds: 1_000_000)
        owesMetrics = true
    }

    private mutating func crossSeconds(to time: Timestamp, into events: inout [StreamEvent]) {
        while nextSecond <= time {
            moment = nextSecond
            shownAt = nextSecond
            let hole = nextSecond.seconds(since: heardAt)
            tick(into: &events)
            let isShown = hole <= HoleTicks.shownSecondsMax || owesMetrics
            if isShown, nextSecond.advanced(byMicroseconds: 1_000_000) <= time {
                emitMetrics(into: &events)
            }
            let step = hole < HoleTicks.secondsMax ? 1 : HoleTicks.coarseStepSeconds
            nextSecond = nextSecond.advanced(bySeconds: step)
        }
    }

    /// Ticks the seconds up to `deviceTime` as the next sample would, which must not be earlier:
    /// for those who look at every second between two samples.
    public mutating func advance(to deviceTime: Timestamp, into events: inout [StreamEvent]) {
        guard !isEnded, clock.start != nil else { return }
        let time = clock.sessionTime(deviceTime)
        guard time > moment else { return }
        crossSeconds(to: time, into: &events)
        moment = time
        shownAt = time
    }

    /// Device time of the newest sample that was believed; `nil` before the first.
    public var newestDeviceTime: Timestamp? {
        clock.start == nil ? nil : clock.deviceTime(clock.now)
    }

    /// Whether a sample with this time would be taken for current.
    public func believes(_ deviceTime: Timestamp) -> Bool {
        var copy = clock
        return if case .current = copy.arrive(deviceTime, late: false) { true } else { false }
    }

    /// Seconds of the session at a device time, by the device's clock as it is set now.
    public func elapsedSeconds(at deviceTime: Timestamp) -> Double {
        elapsedSeconds(until: clock.sessionTime(deviceTime))
    }

    /// What happens at a whole second, sample or none.
    private mutating func tick(into events: inout [StreamEvent]) {
        tickMotion(into: &events)
        tickPosition(into: &events)
        tickHeartRate(into: &events)
        tickAlerts(into: &events)
    }

    // MARK: Silence

    /// Nothing came for a while: `deviceTime` is what the device's clock should say by now.
    ///
    /// Changes only what is stale and the state, and lets a countdown of an alert run out; never
    /// distance, time or pauses, which the device may yet report for the same moments.
    public mutating func applySilence(
        at deviceTime: Timestamp, into events: inout [StreamEvent]
    ) {
        guard !isEnded, clock.start != nil else { return }
        let time = clock.sessionTime(deviceTime)
        guard time > shownAt else { return }
        shownAt = time
        tickWindows(into: &events)
        // What a window owes stays owed: the next sample tells it as of its own time.
        isUnshown = false
        emit(.metrics(metrics), into: &events)
    }

    /// Device time at which silence alone would change a state, or what came last is to be shown;
    /// `nil`: nothing to wait for.
    public var nextSilenceDeadline: Timestamp? {
        guard !isEnded, clock.start != nil else { return nil }
        var deadline: Timestamp?
        func consider(_ time: Timestamp?) {
            guard let time, time > shownAt else { return }
            deadline = deadline.map { min($0, time) } ?? time
        }
        if isUnshown { consider(heardAt.advanced(bySeconds: Self.unshownSeconds)) }
        consider(heardAt.advanced(bySeconds: Self.sessionStaleSeconds + 0.001))
        if let source = heartSources.currentSource {
            let stale = heartSources.staleSeconds(source)
            consider(source.newest.advanced(bySeconds: stale + 0.001))
            if heartSources.isLive(source, at: shownAt) {
                consider(shownAt.advanced(bySeconds: Self.agedSeconds))
            }
        }
        consider(newestMotion?.advanced(bySeconds: Self.motionStaleSeconds + 0.001))
        consider(newestFix?.time.advanced(bySeconds: positionStaleSeconds + 0.001))
        for window in [fall, standing, safetyTimer, sos] { consider(window.deadline) }
        consider(safetyDeadline)
        return deadline.map(clock.deviceTime)
    }

    // MARK: Events

    mutating func settle(into events: inout [StreamEvent]) {
        guard owesMetrics, !isEnded else { return }
        emitMetrics(into: &events)
    }

    mutating func emitMetrics(into events: inout [StreamEvent]) {
        owesMetrics = false
        isUnshown = false
        emit(.metrics(metrics), into: &events)
    }

    func emit(_ kind: StreamEvent.Kind, into events: inout [StreamEvent]) {
        events.append(StreamEvent(deviceTime: clock.deviceTime(max(moment, shownAt)), kind: kind))
    }
}
