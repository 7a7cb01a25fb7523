import SensorModel

/// Finds where a session's run ends and another begins, from its events in log order.
///
/// A run ends with the session's end, which a silent watch may continue. A restart of the daemon, a
/// watch that only connects again, and a backlog leave no such record. So a long time in which the
/// device caused no event, or between two live positions, is a break too: the runner may have been
/// at home meanwhile.
/// The first event after it begins the run, whatever it is: its time would reveal the hidden start.
struct RunBreaks: Sendable {
    /// What an event means for the runs.
    enum Step: Hashable, Sendable {
        case none
        /// The run ends with this event.
        case ends
        /// The session continues with this event after its end: another run begins.
        case continues
        /// Another run begins with this event, and nothing told the end of the one before.
        case begins
        /// The device sends again after a minute without anything.
        case resumes
    }

    /// Time without such an event by either clock, seconds: the default of `ingest.silence`, after which
    /// a session in memory has an end.
    static let silenceSecondsMin = 600.0
    /// Session time between two live positions, seconds.
    static let positionSecondsMin = 1800.0
    /// Time by either clock after which a device resumes, seconds.
    static let resumedSecondsMin = 60.0
    /// Device time between two live positions, seconds, for times that the session's own clock leaves
    /// out. A watch may set its clock, but hardly by a day.
    static let deviceSecondsMin = 86_400.0

    /// Whether the session has ended, as of the last event.
    private(set) var isOver = false
    private var lastLive: (seconds: Double, at: Timestamp)?
    /// The newest device time, and the arrival of the last event that the device caused.
    private var last: (at: Timestamp, arrival: Timestamp)?

    /// Notes that the session's time begins anew.
    mutating func beginAnew() { (lastLive, last) = (nil, nil) }

    /// - Parameters:
    ///   - event: The session's next event.
    ///   - arrival: Arrival of its record.
    /// - Returns: What it means.
    mutating func take(_ event: StreamEvent, arrival: Timestamp) -> Step {
        let silenceSeconds = passSilence(event, arrival)
        let passesHole = passesHole(event)
        switch event.kind {
        case .ended:
            isOver = true
            return .ends
        case .metrics(let metrics) where metrics.state == .ended: return .none
        default: break
        }
        guard !isOver else {
            isOver = false
            return .continues
        }
        if silenceSeconds >= Self.silenceSecondsMin || passesHole { return .begins }
        return silenceSeconds >= Self.resumedSecondsMin ? .resumes : .none
    }

    /// - Returns: Seconds by either clock since the last event that the device caused; 0 for an event
    ///   that needs no device.
    private mutating func passSilence(_ event: StreamEvent, _ arrival: Timestamp) -> Double {
        guard !event.kind.isOfSilence else { return 0 }
        // A part of the run that comes late is no break, nor is what follows it.
        defer { last = (max(event.deviceTime, last?.at ?? event.deviceTime), arrival) }
        guard let last else { return 0 }
        return max(arrival.seconds(since: last.arrival), event.deviceTime.seconds(since: last.at))
    }

    /// - Returns: Whether there was no live position for long, before this one.
    private mutating func passesHole(_ event: StreamEvent) -> Bool {
        guard case .metrics(let metrics) = event.kind, metrics.position?.state == .live else {
            return false
        }
        defer { lastLive = (metrics.elapsedSeconds, event.deviceTime) }
        guard let lastLive else { return false }
        return metrics.elapsedSeconds - lastLive.seconds >= Self.positionSecondsMin
            || event.deviceTime.seconds(since: lastLive.at) >= Self.deviceSecondsMin
    }
}
