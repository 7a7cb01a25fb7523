public import SensorModel

/// One share as its viewers may see it: picks the share's scope out of a session's updates and
/// holds them back for its delay. Belongs to the pipeline; what comes out goes to loops.
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
    ///   - share: Of a device; a group has no view of its own, its members have.
    ///   - cursor: Where the log is. Nothing of it is told: while nothing is shown, a viewer's cursor
    ///     is that of an empty log.
    ///   - now: What a viewer reads as time while no session has begun.
    public init(_ share: Share, cursor: LogCursor, at now: Timestamp) {
        self.share = share.key
        scope = share.scope
        delayMicroseconds = Int64(share.delaySeconds) * 1_000_000
        self.cursor = LogCursor(epoch: cursor.epoch, offset: RecordOffset(rawValue: 0))
        time = now
    }

    /// - Parameters:
    ///   - update: Of the session the share shows, or ``SessionFields/everything`` of one it
    ///     shows from now on.
    ///   - arrival: When the record came, never earlier than the last call's.
    ///   - held: Updates that a delay may hold back; more are folded together.
    /// - Returns: What is to be shown now; `nil` when nothing is, or not yet.
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

    /// Updates held back now.
    var heldCount: Int { held.count }

    /// When the next held update is due; `nil`: none is held.
    var nextDeadline: Timestamp? { held.nextDue }

    /// Number of the next update that is held back.
    var nextNumber: Int { held.nextNumber }

    /// Number of the oldest update that is held back.
    var oldestNumber: Int? { held.oldestNumber }

    /// - Returns: What is due by `now`: the oldest update, with its number; one that was folded into it
    ///   had a lower one.
    mutating func release(at now: Timestamp) -> (number: Int, update: FeedUpdate)? {
        guard let (update, session, number) = held.removeFirst(dueBy: now) else { return nil }
        return (number, show(update, of: session))
    }

    /// The arrival clock was set back: what is held goes on waiting for as long as it had to.
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
