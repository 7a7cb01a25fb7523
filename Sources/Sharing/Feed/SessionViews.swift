public import SensorModel

/// One session as its device's shares show it: with everything, and, where the owner hides
/// something, as those see it who see positions. Belongs to the pipeline.
///
/// A change of the owner's privacy settings takes a new value that is fed the session again.
public struct SessionViews: Sendable {
    /// Bytes that all views that hide something may take together: 10,000 with zones alone, or 130
    /// runners with 300 m of finish trimmed, who hold back 26 minutes of 400 bytes a second.
    public static let hidingBytesMax = 84 << 20
    /// Of one view that holds nothing back: projection and fields, rounded up.
    static let hidingBytesEach = 8 << 10

    private struct Hiding: Sendable {
        /// `nil`: it is given up for want of memory.
        var projection: SessionProjection?
        var fields: SessionFields
    }

    private let epoch: UInt32
    private var everything: SessionFields
    /// At most one; in an array, since most sessions have none and must not pay for it.
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

    /// Takes the session's next event. Every event must come, in the order of the log.
    public mutating func take(
        _ event: StreamEvent, at offset: RecordOffset, arrival: Timestamp
    ) -> SessionUpdates {
        var updates = SessionUpdates(everything: everything.take(event, at: offset), hiding: nil)
        guard !hiding.isEmpty else { return updates }
        guard hiding[0].projection != nil else {
            // As the projection does: what is hidden must not keep anybody from helping.
            if event.kind.isSafetyAlert {
                shown.append(ShownEvent(event: event, offset: offset, arrival: arrival))
            }
            updates.hiding = encodeShown()
            return updates
        }
        hiding[0].projection?.take(event, at: offset, arrival: arrival, into: &shown)
        updates.hiding = encodeShown()
        return updates
    }

    /// What becomes due without a record.
    ///
    /// - Parameter now: Arrival clock.
    /// - Returns: Of the view that hides.
    public mutating func advance(to now: Timestamp) -> [SessionUpdates.Dated] {
        guard !hiding.isEmpty else { return [] }
        hiding[0].projection?.advance(to: now, into: &shown)
        return encodeShown()
    }

    /// When ``advance(to:)`` has something to do; `nil`: not before a record comes.
    public var nextDeadline: Timestamp? { hiding.first?.projection?.nextDeadline }

    /// What a share shows of the session, before its scope.
    public func fields(obeyingPrivacy: Bool) -> SessionFields {
        guard obeyingPrivacy, let hiding = hiding.first else { return everything }
        return hiding.fields
    }

    /// Whether who sees positions has seen anything of the session.
    public var isInView: Bool { hiding.first.map { $0.projection?.hasShown ?? false } ?? true }

    /// Bytes that the view of those who see positions takes of memory; 0 where nothing is hidden.
    public var hidingBytes: Int {
        hiding.first?.projection.map { Self.hidingBytesEach + $0.heldBytes } ?? 0
    }

    /// Gives up the view of those who see positions, for want of memory: nothing of it is known any
    /// more, and but for safety alerts nothing is shown. The session read again has all of it.
    public mutating func withhold() {
        guard !hiding.isEmpty else { return }
        hiding[0].projection = nil
        hiding[0].fields = SessionFields(session: everything.session, epoch: epoch)
    }

    public var isWithheld: Bool { hiding.first.map { $0.projection == nil } ?? false }

    /// Whether anything is hidden from who watches a share.
    public func hides(obeyingPrivacy: Bool) -> Bool {
        obeyingPrivacy && !hiding.isEmpty
    }

    private mutating func encodeShown() -> [SessionUpdates.Dated] {
        let updates = shown.map {
            SessionUpdates.Dated(
                update: hiding[0].fields.take($0.event, at: $0.offset), arrival: $0.arrival)
        }
        // After a backlog it is large, and every session has one.
        shown.removeAll(keepingCapacity: shown.capacity <= Self.shownKept)
        return updates
    }

    /// Events for which room is kept from record to record.
    private static let shownKept = 4
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
