public import SensorModel

/// The rule that selects the records of a session for a viewer.
///
/// It depends on a share and its device's privacy settings, and is the only place where the two
/// meet. Scope and delay of the share apply after it.
public enum ProjectionRule: Hashable, Sendable {
    /// All records: for the owner's own views, and for devices that share no positions or hide
    /// nothing.
    case everything
    /// For devices that show positions, on this share or another: hidden parts do not count.
    case hiding(PrivacySettings)

    public init(_ share: Share, privacy: PrivacySettings) {
        self = share.hidesPlaces ? Self(privacy) : .everything
    }

    /// The rule for shares that hide places.
    public init(_ privacy: PrivacySettings) {
        self = privacy.hidesNothing ? .everything : .hiding(privacy)
    }

    /// Whether events may be shown after records that arrived later.
    package var holdsBack: Bool {
        secondsLate > 0
    }

    /// Longest time from a record's arrival until it is shown or hidden; 0: at once.
    package var secondsLate: Double {
        guard case .hiding(let settings) = self, settings.trimFinishMeters > 0 else { return 0 }
        return FinishTrim.secondsLate(settings) + SessionProjection.lagSecondsMax
    }
}

/// A recorded event in the form for viewers.
public struct ShownEvent: Hashable, Sendable {
    public var event: StreamEvent
    /// Offset of the record that caused it; it rises from one shown event to the next.
    public var offset: RecordOffset
    /// Arrival of that record, or the time at which the event became due.
    public var arrival: Timestamp
    /// Metrics of the second that the event replaces. An array, since most events have none and
    /// must not need memory for it.
    var covered: [Metrics] = []

    public init(event: StreamEvent, offset: RecordOffset, arrival: Timestamp) {
        self.event = event
        self.offset = offset
        self.arrival = arrival
    }

    /// The event in the form for a share. A scope without splits gets the metrics that a split
    /// replaces, since a missing second would reveal the split and the pace.
    public func seen(in scope: Scope) -> StreamEvent {
        guard let covered = covered.first, !scope.seesSplits else { return event }
        return StreamEvent(deviceTime: event.deviceTime, kind: .metrics(covered))
    }
}

extension Scope {
    /// Whether a share shows splits, as ``EventEncoder`` says.
    var seesSplits: Bool { contains(.metrics) }
}
