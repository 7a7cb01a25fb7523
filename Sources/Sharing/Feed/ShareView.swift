public import SensorModel

/// The view of one share: selects the share's scope from a session's updates and holds them back
/// for its delay. Belongs to the pipeline, which sends the results to loops.
public struct ShareView: Sendable {
    public let share: ShareKey
    private let scope: Scope
    private let delayMicroseconds: Int64
    private var session: SessionID?
    private var cursor: LogCursor
    private var time: Timestamp
    private var fields: [Fragment?] = Array(repeating: nil, count: FieldKey.allCases.count)
    private var heartRate: HeartRateReading?
    private var held = HeldUpdates()

    /// - Parameters:
    ///   - share: A share of a device; a group has no view of its own, only its members have.
    ///   - cursor: End of the log. It is not shown: until the first update a viewer's cursor is
    ///     that of an empty log.
    ///   - now: Device time for viewers until a session begins.
    public init(_ share: Share, cursor: LogCursor, at now: Timestamp) {
        self.share = share.key
        scope = share.scope
        delayMicroseconds = Int64(share.delaySeconds) * 1_000_000
        self.cursor = LogCursor(epoch: cursor.epoch, offset: RecordOffset(rawValue: 0))
        time = now
    }

    /// - Parameters:
    ///   - update: An update of the shown session, or ``SessionFields/everything`` of one that is
    ///     shown from now on.
    ///   - arrival: Arrival of the record, never before the last call's.
    ///   - held: Maximum number of updates held back by a delay; more are merged.
    /// - Returns: The update to show now; `nil` if there is none yet.
    public mutating func take(
        _ update: SessionUpdate, at arrival: Timestamp, holding held: Int = HeldUpdates.countMax
    ) -> FeedUpdate? {
        guard let part = part(of: update) else { return nil }
        if delayMicroseconds == 0 { return show(part, of: update.session) }
        self.held.append(
            part, of: update.session, due: arrival.advanced(byMicroseconds: delayMicroseconds),
            countMax: held)
        return nil
    }

    /// Number of held updates.
    var heldCount: Int { held.count }

    /// Due time of the next held update; `nil`: none is held.
    var nextDeadline: Timestamp? { held.nextDue }

    /// Number of the next held update.
    var nextNumber: Int { held.nextNumber }

    /// Number of the oldest held update.
    var oldestNumber: Int? { held.oldestNumber }

    /// - Returns: The oldest update that is due by `now`, with its number. Updates merged into it
    ///   had lower numbers.
    mutating func release(at now: Timestamp) -> (number: Int, update: FeedUpdate)? {
        guard let (update, session, number) = held.removeFirst(dueBy: now) else { return nil }
        return (number, show(update, of: session))
    }

    /// Whether the session is shown, or held back.
    func has(_ session: SessionID) -> Bool { self.session == session || held.contains(session) }

    /// Forgets an erased session, whether it was shown or still held back.
    mutating func erase(_ session: SessionID) {
        held.remove(session)
        guard self.session == session else { return }
        self.session = nil
        cursor = LogCursor(epoch: cursor.epoch, offset: RecordOffset(rawValue: 0))
        fields = Array(repeating: nil, count: fields.count)
        heartRate = nil
    }

    /// Moves due times after the arrival clock was set back: held updates wait as long as before.
    mutating func clockWentBack(byMicroseconds difference: Int64) {
        held.clockWentBack(byMicroseconds: difference)
    }

    public var snapshot: FeedSnapshot {
        guard session != nil else { return .waiting(cursor: cursor, time: time) }
        return FeedSnapshot(
            cursor: cursor, time: time, session: session,
            fields: fields.compactMap { $0 }.filter { !$0.isNull }, heartRate: heartRate)
    }

    private func part(of update: SessionUpdate) -> FeedUpdate? {
        let changed = update.changed.filter { $0.visibility.contains(scope) }
        let event = update.event.first { $0.visibility.contains(scope) }
        guard !changed.isEmpty || event != nil || update.begins else { return nil }
        return FeedUpdate(
            cursor: update.cursor, time: update.time, changed: changed, event: event?.json,
            heartRate: scope.contains(.heartRate) ? update.heartRate : nil,
            urgent: update.urgent || event != nil, begins: update.begins)
    }

    private mutating func show(_ update: FeedUpdate, of session: SessionID) -> FeedUpdate {
        self.session = session
        cursor = update.cursor
        time = update.time
        if update.begins {
            fields = Array(repeating: nil, count: fields.count)
            heartRate = nil
        }
        for fragment in update.changed { fields[Int(fragment.key.rawValue)] = fragment }
        if let reading = update.heartRate { heartRate = reading }
        return update
    }
}
