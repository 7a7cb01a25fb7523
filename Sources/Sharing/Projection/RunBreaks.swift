import SensorModel

/// Finds where a session's run ends and another begins, from its events in log order.
///
/// A run ends with the session's end, which a silent watch may continue. A restart of the daemon, a
/// watch that only connects again, and a backlog leave no such record. So a long time between two
/// live positions is a break too: the runner may have been at home meanwhile.
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
    }

    /// Session time between two live positions, seconds; three times the default of
    /// `ingest.silence`.
    static let sessionSecondsMin = 1800.0
    /// Device time between them, seconds, for times that the session's own clock leaves out. A watch
    /// may set its clock, but hardly by a day.
    static let deviceSecondsMin = 86_400.0

    /// Whether the session has ended, as of the last event.
    private(set) var isOver = false
    private var lastLive: (seconds: Double, at: Timestamp)?

    /// Notes that the session's time begins anew.
    mutating func beginAnew() { lastLive = nil }

    mutating func take(_ event: StreamEvent) -> Step {
        if event.kind == .ended {
            isOver = true
            return .ends
        }
        guard case .metrics(let metrics) = event.kind else { return .none }
        let passesHole = passesHole(metrics, at: event.deviceTime)
        guard !isOver else {
            isOver = metrics.state == .ended
            return isOver ? .none : .continues
        }
        return passesHole ? .begins : .none
    }

    /// - Returns: Whether a long time has passed since the last live position.
    private mutating func passesHole(_ metrics: Metrics, at time: Timestamp) -> Bool {
        guard metrics.position?.state == .live else { return false }
        defer { lastLive = (metrics.elapsedSeconds, time) }
        guard let lastLive else { return false }
        return metrics.elapsedSeconds - lastLive.seconds >= Self.sessionSecondsMin
            || time.seconds(since: lastLive.at) >= Self.deviceSecondsMin
    }
}
