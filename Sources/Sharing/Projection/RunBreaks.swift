import SensorModel

/// Finds where a session's run ends and another begins, from its events in log order.
///
/// A run ends with the session's end, which a silent watch may continue. A restart of the daemon, a
/// watch that only connects again, and a backlog leave no such record. So a long time without any
/// event, or between two live positions, is a break too: the runner may have been at home meanwhile.
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

    /// Time without an event by either clock, seconds: the default of `ingest.silence`, after which
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
    /// The newest device time, and the arrival of the last event.
    private var last: (at: Timestamp, arrival: Timestamp)?
    /// The same for the last metrics of a device that sends.
    private var lastSent: (at: Timestamp, arrival: Timestamp)?

    /// Notes that the session's time begins anew.
    mutating func beginAnew() { (lastLive, last, lastSent) = (nil, nil, nil) }

    /// - Parameters:
    ///   - event: The session's next event.
    ///   - arrival: Arrival of its record.
    /// - Returns: What it means.
    mutating func take(_ event: StreamEvent, arrival: Timestamp) -> Step {
        let isSilent = passesSilence(event, arrival)
        let passesHole = passesHole(event)
        let resumes = resumes(event, arrival)
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
        if isSilent || passesHole { return .begins }
        return resumes ? .resumes : .none
    }

    /// - Returns: Whether there was no event for long.
    private mutating func passesSilence(_ event: StreamEvent, _ arrival: Timestamp) -> Bool {
        // A part of the run that comes late is no break, nor is what follows it.
        defer { last = (max(event.deviceTime, last?.at ?? event.deviceTime), arrival) }
        guard let last else { return false }
        return arrival.seconds(since: last.arrival) >= Self.silenceSecondsMin
            || event.deviceTime.seconds(since: last.at) >= Self.silenceSecondsMin
    }

    /// - Returns: Whether the device has sent nothing for a minute before this event.
    private mutating func resumes(_ event: StreamEvent, _ arrival: Timestamp) -> Bool {
        guard !event.kind.isOfSilence else { return false }
        defer {
            if case .metrics = event.kind {
                lastSent = (max(event.deviceTime, lastSent?.at ?? event.deviceTime), arrival)
            }
        }
        guard let lastSent else { return false }
        return arrival.seconds(since: lastSent.arrival) >= Self.resumedSecondsMin
            || event.deviceTime.seconds(since: lastSent.at) >= Self.resumedSecondsMin
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
