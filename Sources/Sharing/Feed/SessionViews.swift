public import SensorModel

/// One session as its device's shares show it: with everything, and, where the owner hides
/// something, as those see it who see positions. Belongs to the pipeline.
///
/// A change of the owner's privacy settings takes a new value that is fed the session again.
public struct SessionViews: Sendable {
    private struct Hiding: Sendable {
        var projection: SessionProjection
        var fields: SessionFields
        var index: ProjectionIndex
    }

    private var everything: SessionFields
    /// At most one; in an array, since most sessions have none and must not pay for it.
    private var hiding: [Hiding] = []
    private var shown: [ShownEvent] = []

    public init(session: SessionID, epoch: UInt32, privacy: PrivacySettings) {
        everything = SessionFields(session: session, epoch: epoch)
        let rule = ProjectionRule(scope: .all, privacy: privacy)
        guard rule != .everything else { return }
        hiding.append(
            Hiding(
                projection: SessionProjection(rule),
                fields: SessionFields(session: session, epoch: epoch),
                index: ProjectionIndex()))
    }

    /// Takes the session's next event. Every event must come, in the order of the log.
    public mutating func take(
        _ event: StreamEvent, at offset: RecordOffset, arrival: Timestamp
    ) -> SessionUpdates {
        var updates = SessionUpdates(everything: everything.take(event, at: offset), hiding: nil)
        guard !hiding.isEmpty else { return updates }
        shown.removeAll(keepingCapacity: true)
        hiding[0].projection.take(event, at: offset, arrival: arrival, into: &shown)
        hiding[0].index.note(
            hiding[0].projection, after: offset, deviceTime: event.deviceTime)
        updates.hiding = encodeShown()
        return updates
    }

    /// What becomes due without a record.
    ///
    /// - Parameter now: Arrival clock.
    /// - Returns: Of the view that hides.
    public mutating func advance(to now: Timestamp) -> [SessionUpdates.Dated] {
        guard !hiding.isEmpty else { return [] }
        shown.removeAll(keepingCapacity: true)
        hiding[0].projection.advance(to: now, into: &shown)
        return encodeShown()
    }

    /// When ``advance(to:)`` has something to do; `nil`: not before a record comes.
    public var nextDeadline: Timestamp? { hiding.first?.projection.nextDeadline }

    /// What a share of that scope shows of the session.
    public func fields(for scope: Scope) -> SessionFields {
        guard scope.contains(.location), let hiding = hiding.first else { return everything }
        return hiding.fields
    }

    /// Whether who sees positions has seen anything of the session.
    public var isInView: Bool { hiding.first?.projection.hasShown ?? true }

    /// Whether anything is hidden from who watches a share of that scope.
    public func hides(from scope: Scope) -> Bool {
        scope.contains(.location) && !hiding.isEmpty
    }

    /// Where reading the session by that rule can begin; `nil` unless it is this session's.
    public func index(of rule: ProjectionRule) -> ProjectionIndex? {
        hiding.first.flatMap { $0.projection.rule == rule ? $0.index : nil }
    }

    private mutating func encodeShown() -> [SessionUpdates.Dated] {
        shown.map {
            SessionUpdates.Dated(
                update: hiding[0].fields.take($0.event, at: $0.offset), arrival: $0.arrival)
        }
    }
}

/// What one record changed: for shares that show everything, and for those that hide something.
public struct SessionUpdates: Sendable {
    /// An update and when what it tells came, which a delay counts from.
    public struct Dated: Sendable {
        public var update: SessionUpdate
        public var arrival: Timestamp

        public init(update: SessionUpdate, arrival: Timestamp) {
            self.update = update
            self.arrival = arrival
        }
    }

    public var everything: SessionUpdate
    /// `nil`: the device hides nothing, so everything is for all of its shares.
    public var hiding: [Dated]?
}
