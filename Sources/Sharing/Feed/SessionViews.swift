public import SensorModel

/// One session as its device's shares show it: the full view, and, if the owner hides something, a
/// hiding view for shares that hide places. Belongs to the pipeline.
///
/// After a change of the owner's privacy settings a new value replaces this one and reads the
/// session again.
public struct SessionViews: Sendable {
    /// Maximum bytes of all hiding views: 8,600 views with zones alone, or 130 runners with a
    /// finish trim of 300 m, each holding back 26 minutes of 400 bytes a second.
    public static let hidingBytesMax = 84 << 20
    /// Bytes of one view that holds nothing back: projection and fields, rounded up.
    static let hidingBytesEach = 10 << 10

    private struct Hiding: Sendable {
        /// The projection; `nil`: dropped for lack of memory.
        var projection: SessionProjection?
        var fields: SessionFields
        /// Changes of a second that a split replaced; its viewers get them with the next metrics.
        var owed: (changed: [Fragment], heartRate: HeartRateReading?) = ([], nil)

        /// - Returns: The changes; and, if some shares do not see the event, the changes for those.
        mutating func take(_ shown: ShownEvent) -> (update: SessionUpdate, covered: SessionUpdate?)
        {
            var update = fields.take(shown.event, at: shown.offset)
            if case .metrics = shown.event.kind { payOwed(with: &update) }
            let plain = shown.seen(in: [])
            guard plain != shown.event else { return (update, nil) }
            var covered = fields.take(plain, at: shown.offset)
            payOwed(with: &covered)
            owed = (covered.changed, covered.heartRate)
            return (update, covered)
        }

        private mutating func payOwed(with update: inout SessionUpdate) {
            let keys = update.changed.map(\.key)
            update.changed += owed.changed.filter { !keys.contains($0.key) }
            update.heartRate = update.heartRate ?? owed.heartRate
            owed = ([], nil)
        }
    }

    private let epoch: UInt32
    private var everything: SessionFields
    /// At most one hiding view; an array, since most sessions have none and must not need memory
    /// for it.
    private var hiding: [Hiding] = []
    private var shown: [ShownEvent] = []

    public init(session: SessionID, epoch: UInt32, privacy: PrivacySettings) {
        self.epoch = epoch
        everything = SessionFields(session: session, epoch: epoch)
        let rule = ProjectionRule(privacy)
        guard rule != .everything else { return }
        hiding.append(
            Hiding(
                projection: SessionProjection(rule),
                fields: SessionFields(session: session, epoch: epoch)))
    }

    /// Applies a mark, which is what the log says besides events, in log order with the events.
    public mutating func note(_ mark: SessionProjection.Mark) {
        guard !hiding.isEmpty else { return }
        hiding[0].projection?.note(mark)
    }

    /// Applies the session's next event. The caller passes every event, in log order.
    public mutating func take(
        _ event: StreamEvent, at offset: RecordOffset, arrival: Timestamp
    ) -> SessionUpdates {
        var updates = SessionUpdates(everything: everything.take(event, at: offset), hiding: nil)
        guard !hiding.isEmpty else { return updates }
        guard hiding[0].projection != nil else {
            // As in the projection, privacy must not delay a call for help.
            if event.kind.isCallForHelp {
                shown.append(ShownEvent(event: event, offset: offset, arrival: arrival))
            }
            updates.hiding = encodeShown()
            return updates
        }
        hiding[0].projection?.take(event, at: offset, arrival: arrival, into: &shown)
        updates.hiding = encodeShown()
        return updates
    }

    /// Shows events that become due by time alone.
    ///
    /// - Parameter now: Time of the arrival clock.
    /// - Returns: Updates of the hiding view.
    public mutating func advance(to now: Timestamp) -> [SessionUpdates.Dated] {
        guard !hiding.isEmpty else { return [] }
        hiding[0].projection?.advance(to: now, into: &shown)
        return encodeShown()
    }

    /// Next time at which ``advance(to:)`` has work; `nil`: none before another record.
    public var nextDeadline: Timestamp? { hiding.first?.projection?.nextDeadline }

    /// The shown fields of the session, before scope.
    public func fields(hidingPlaces: Bool) -> SessionFields {
        guard hidingPlaces, let hiding = hiding.first else { return everything }
        return hiding.fields
    }

    /// Whether the hiding view has shown anything of the session.
    public var isInView: Bool { hiding.first.map { $0.projection?.hasShown ?? false } ?? true }

    /// Whether shares that hide places have been shown the end. Read for each frame, so no fields are
    /// copied.
    public var hasEndedInView: Bool {
        hiding.isEmpty ? everything.hasEnded : hiding[0].fields.hasEnded
    }

    /// Bytes of the hiding view; 0 if nothing is hidden.
    public var hidingBytes: Int {
        hiding.first?.projection.map { Self.hidingBytesEach + $0.heldBytes } ?? 0
    }

    /// Bytes of the splits that the session's viewers see, in all views.
    public var splitBytes: Int {
        everything.splitBytes
            + hiding.reduce(0) { $0 + $1.fields.splitBytes + ($1.projection?.splitBytes ?? 0) }
    }

    /// Drops the hiding view for lack of memory. Only calls for help are shown until the session is
    /// read again.
    public mutating func withhold() {
        guard !hiding.isEmpty else { return }
        hiding[0].projection = nil
        hiding[0].fields = SessionFields(session: everything.session, epoch: epoch)
    }

    public var isWithheld: Bool { hiding.first.map { $0.projection == nil } ?? false }

    /// Whether a share that hides places, or one that does not, hides anything of the session.
    public func hides(hidingPlaces: Bool) -> Bool {
        hidingPlaces && !hiding.isEmpty
    }

    private mutating func encodeShown() -> [SessionUpdates.Dated] {
        var updates: [SessionUpdates.Dated] = []
        for event in shown {
            let (update, covered) = hiding[0].take(event)
            let isFirst = updates.isEmpty && shown.count > 1
            var dated = SessionUpdates.Dated(
                update: update, arrival: event.arrival,
                everything: isFirst ? hiding[0].fields.everything : nil)
            dated.covered = covered
            updates.append(dated)
        }
        // A backlog makes the array large, and every session has one, so a large array is freed.
        shown.removeAll(keepingCapacity: shown.capacity <= Self.shownKept)
        return updates
    }

    /// Capacity for events that is kept between records.
    private static let shownKept = 4
}
