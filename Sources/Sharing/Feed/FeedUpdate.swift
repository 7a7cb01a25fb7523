public import SensorModel

/// The changes by one record for the viewers of one share, after scope, privacy and delay. The
/// pipeline sends it to every loop that has viewers of the share.
public struct FeedUpdate: Sendable {
    public var cursor: LogCursor
    /// Device time of the record.
    public var time: Timestamp
    public var changed: [Fragment]
    /// A discrete event as a whole JSON object.
    public var event: [UInt8]?
    /// Set with the `heartRate` fragment, if the scope includes it.
    public var heartRate: HeartRateReading?
    /// Whether a state changed: a viewer's rate must not delay it. Events are always urgent.
    public var urgent: Bool
    /// Whether another session begins: earlier values are invalid, and `changed` is complete.
    public var begins: Bool
    /// Whether earlier values must no longer be sent, because the owner hides them now.
    public var forgets = false
    /// Arrival of the record, to measure the delivery time; `nil` if the update was delayed on
    /// purpose and is not measured.
    public var arrival: Timestamp?

    public init(
        cursor: LogCursor, time: Timestamp, changed: [Fragment], event: [UInt8]? = nil,
        heartRate: HeartRateReading? = nil, urgent: Bool = false, begins: Bool = false
    ) {
        self.cursor = cursor
        self.time = time
        self.changed = changed
        self.event = event
        self.heartRate = heartRate
        self.urgent = urgent
        self.begins = begins
    }
}

/// All shown values of a share at one cursor: the first message to a new subscriber.
public struct FeedSnapshot: Sendable {
    public var cursor: LogCursor
    /// Device time.
    public var time: Timestamp
    /// The session shown; `nil`: none yet.
    public var session: SessionID?
    /// Fields in the order of ``FieldKey``, without nulls.
    public var fields: [Fragment]
    public var heartRate: HeartRateReading?

    public init(
        cursor: LogCursor, time: Timestamp, session: SessionID?, fields: [Fragment],
        heartRate: HeartRateReading? = nil
    ) {
        self.cursor = cursor
        self.time = time
        self.session = session
        self.fields = fields
        self.heartRate = heartRate
    }

    /// The snapshot of a share whose device has had no session since the share was made.
    public static func waiting(cursor: LogCursor, time: Timestamp) -> FeedSnapshot {
        let state = Fragment(
            key: .state, visibility: .everyone, bytes: Array("\"state\":\"waiting\"".utf8))
        return FeedSnapshot(cursor: cursor, time: time, session: nil, fields: [state])
    }
}
