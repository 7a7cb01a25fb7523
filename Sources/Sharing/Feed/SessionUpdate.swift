public import SensorModel

/// What one record changed for the viewers of a session, whatever their scope: privacy is behind
/// it, scope and delay are not. Every share of the device picks its part, nothing is encoded twice.
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
    /// `changed` is all there is: the session's first record, or a view that comes later.
    public var begins: Bool

    /// Whether it tells anything: of a session of which nothing was shown there is nothing.
    public var isKnown: Bool { !changed.isEmpty || !event.isEmpty }
}
