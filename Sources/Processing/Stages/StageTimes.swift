import SensorModel

/// The times of a session for all stages.
struct StageTimes: Sendable {
    /// Session time of the first sample; `nil` before it.
    let start: Timestamp?
    /// Session time of the computation.
    let moment: Timestamp
    /// Session time of the newest sample.
    let heardAt: Timestamp
    /// Time to which silence has aged the shown values; not before ``moment``.
    let shownAt: Timestamp
    /// Session time minus device time.
    let shiftMicroseconds: Int64
    let isEnded: Bool

    /// The later of computed and shown time: the timestamp of events.
    var now: Timestamp { max(moment, shownAt) }

    /// Seconds without any sample, at the shown time.
    var silenceSeconds: Double { shownAt.seconds(since: heardAt) }

    func deviceTime(_ session: Timestamp) -> Timestamp {
        session.advanced(byMicroseconds: -shiftMicroseconds)
    }

    /// Seconds of the session until the session time `time`; 0 before the first sample.
    func elapsedSeconds(until time: Timestamp) -> Double {
        start.map { time.seconds(since: $0) } ?? 0
    }
}
