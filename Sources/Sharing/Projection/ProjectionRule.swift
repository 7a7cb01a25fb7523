public import SensorModel

/// Which of a session's records count for a viewer.
///
/// It is a function of a share and its device's privacy settings, and the only place where the two
/// meet. What a share shows of what counts, its scope says; when, its delay.
public enum ProjectionRule: Hashable, Sendable {
    /// The owner's own views, devices none of whose shares shows positions, or that hide nothing.
    case everything
    /// Positions are shown, here or beside it: nothing that the settings hide counts.
    case hiding(PrivacySettings)

    public init(_ share: Share, privacy: PrivacySettings) {
        self = share.obeysPrivacy ? Self(privacy) : .everything
    }

    /// For shares that obey the settings.
    public init(_ privacy: PrivacySettings) {
        self = privacy.hidesNothing ? .everything : .hiding(privacy)
    }
}

/// A recorded event as viewers may see it.
public struct ShownEvent: Hashable, Sendable {
    public var event: StreamEvent
    /// Of the record that it follows from; rises from one shown event to the next.
    public var offset: RecordOffset
    /// When that record came, or the moment that made it due.
    public var arrival: Timestamp

    public init(event: StreamEvent, offset: RecordOffset, arrival: Timestamp) {
        self.event = event
        self.offset = offset
        self.arrival = arrival
    }
}
