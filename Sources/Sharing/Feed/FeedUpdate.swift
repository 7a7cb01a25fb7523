public import SensorModel

/// What one record changed for the viewers of one share: scope, privacy and delay are behind it.
/// It goes from the pipeline to every loop that has viewers of the share.
public struct FeedUpdate: Sendable {
    public var cursor: LogCursor
    /// Device time of the record.
    public var time: Timestamp
    public var changed: [Fragment]
    /// A discrete event as a whole JSON object.
    public var event: [UInt8]?
    /// Set with the `heartRate` fragment, where the scope has it.
    public var heartRate: HeartRateReading?
    /// A state changed: not to be held back by a viewer's rate. Events always are urgent.
    public var urgent: Bool
    /// Another session begins: what was known before is void and `changed` is all there is.
    public var begins: Bool
    /// Nothing of before may be told any more: the owner hides it now.
    public var forgets = false
    /// When the record came, for the measure of how long it takes to viewers; `nil`: held back on
    /// purpose, so not measured.
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

/// Everything a share shows at one cursor: what a new subscriber starts from.
public struct FeedSnapshot: Sendable {
    public var cursor: LogCursor
    /// Device time.
    public var time: Timestamp
    /// The session shown; `nil`: none yet.
    public var session: SessionID?
    /// In the order of ``FieldKey``, no nulls.
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

    /// Of a share whose device has not begun a session since the share was made.
    public static func waiting(cursor: LogCursor, time: Timestamp) -> FeedSnapshot {
        let state = Fragment(
            key: .state, visibility: .everyone, bytes: Array("\"state\":\"waiting\"".utf8))
        return FeedSnapshot(cursor: cursor, time: time, session: nil, fields: [state])
    }
}
