public import SensorModel

/// The changes by one record for all viewers of a session, after privacy but before scope and
/// delay. Every share of the device selects its part, and nothing is encoded twice.
public struct SessionUpdate: Sendable {
    public var session: SessionID
    public var cursor: LogCursor
    /// Device time.
    public var time: Timestamp
    public var changed: [Fragment]
    /// One discrete event, in the forms of its audiences.
    public var event: [EventForm]
    public var heartRate: HeartRateReading?
    public var urgent: Bool
    /// Whether `changed` is complete: for the session's first record, or a view that is added
    /// later.
    public var begins: Bool

    /// Whether it has content: a session without a shown event has none.
    public var isKnown: Bool { !changed.isEmpty || !event.isEmpty }
}
