public import SensorModel

/// One loop's state of one share: the newest fragment of each field, and the last events.
///
/// It is the only data between the pipeline and the sockets. A viewer is only a number, the
/// revision last sent to it. Its next update has the fragments that changed after that revision.
/// Merging thus means to omit overwritten values, and viewers at one revision share one encoding.
/// Belongs to one loop.
public final class ShareFeed {
    public let key: FeedKey
    /// Name that precedes this share's values in a group.
    public let runnerName: String
    public private(set) var cursor: LogCursor
    /// Device time of the newest record.
    public private(set) var time: Timestamp
    public private(set) var heartRate: HeartRateReading?

    /// Revisions of the newest changes by kind. One value, since every viewer's flush reads it.
    private(set) var marks: Marks
    private var fieldsCursor: LogCursor
    private var fieldsTime: Timestamp

    private var fields: [Field?] = Array(repeating: nil, count: FieldKey.allCases.count)
    private(set) var events = EventWindow()
    /// The event budget's record of this feed.
    var place = EventBudget.Place()
    private var updates: [Memo] = []
    private var restarts: [Memo] = []

    /// Revisions of the loop.
    struct Marks {
        /// Revision of the newest change of any kind.
        var newest: UInt64
        /// Revision of the newest change that does not wait for a viewer's rate.
        var urgent: UInt64 = 0
        /// Revision of the newest field.
        var fields: UInt64
        /// Revision at which another session began: a viewer below it needs a snapshot.
        var restart: UInt64
        /// Revision of the newest event.
        var event: UInt64 = 0
        /// Events up to this revision may be dropped: a viewer below it is too slow.
        var lostEvent: UInt64 = 0
    }

    private struct Field {
        var fragment: Fragment
        var revision: UInt64
    }

    private struct Memo {
        var after: UInt64
        var place: MessagePlace
        var message: EncodedMessage
    }

    /// Number of cached encodings: viewers of one share are usually at few revisions, one for each
    /// rate in use.
    private static let memosMax = 8

    init(key: FeedKey, runnerName: String, snapshot: FeedSnapshot, revision: UInt64) {
        self.key = key
        self.runnerName = runnerName
        cursor = snapshot.cursor
        time = snapshot.time
        heartRate = snapshot.heartRate
        marks = Marks(newest: revision, fields: revision, restart: revision)
        fieldsCursor = snapshot.cursor
        fieldsTime = snapshot.time
        for fragment in snapshot.fields {
            fields[Int(fragment.key.rawValue)] = Field(fragment: fragment, revision: revision)
        }
    }

    /// Applies an update, and keeps `eventBytesMax` bytes of events for slow viewers.
    func apply(_ update: FeedUpdate, revision: UInt64, eventBytesMax: Int) {
        marks.newest = revision
        cursor = update.cursor
        time = update.time
        if update.begins {
            fields = Array(repeating: nil, count: fields.count)
            heartRate = nil
            marks.restart = revision
        }
        if update.forgets {
            events = EventWindow()
            marks.event = 0
            marks.lostEvent = 0
        }
        if update.begins || !update.changed.isEmpty {
            marks.fields = revision
            fieldsCursor = update.cursor
            fieldsTime = update.time
            updates.removeAll(keepingCapacity: true)
            restarts.removeAll(keepingCapacity: true)
        }
        for fragment in update.changed {
            fields[Int(fragment.key.rawValue)] = Field(fragment: fragment, revision: revision)
        }
        if let reading = update.heartRate { heartRate = reading }
        if update.urgent || update.begins || update.event != nil { marks.urgent = revision }
        if let event = update.event {
            events.append(
                event, cursor: update.cursor, revision: revision, runner: runnerName,
                bytesMax: eventBytesMax)
            marks.event = revision
            marks.lostEvent = events.lostRevision
        }
    }

    /// Drops the older half of the events. Viewers that still wait for those count as too slow.
    func giveUpOlderEvents() {
        events.evictOlderHalf()
        marks.lostEvent = events.lostRevision
    }

    /// All current values, for a new viewer.
    ///
    /// - Parameters:
    ///   - resumed: The cursor of a reconnecting viewer. Its snapshot has this cursor, so that the
    ///     cursors of the events after it rise. `nil` on a first connection, which the snapshot
    ///     marks as initial, so that old events raise no alert.
    ///   - place: Alone, or under the runner's name in a group.
    /// - Returns: A message for this viewer.
    public func snapshotMessage(
        resumedAt resumed: LogCursor? = nil, place: MessagePlace = .alone
    ) -> EncodedMessage {
        snapshot(
            initial: resumed == nil, cursor: resumed ?? cursor, time: time, place: place)
    }

    /// All values since another session began, in place of an update.
    func restartMessage(place: MessagePlace) -> EncodedMessage {
        if let memo = restarts.first(where: { $0.place == place }) { return memo.message }
        let message = snapshot(
            initial: false, cursor: fieldsCursor, time: fieldsTime, place: place)
        restarts.append(Memo(after: 0, place: place, message: message))
        return message
    }

    private func snapshot(
        initial: Bool, cursor: LogCursor, time: Timestamp, place: MessagePlace
    ) -> EncodedMessage {
        MessageWriter.message(
            .snapshot(initial: initial), cursor: cursor, time: time,
            runner: place == .inGroup ? runnerName : nil,
            fragments: fields.lazy.compactMap { $0?.fragment }.filter { !$0.isNull })
    }

    /// The loop's revision at the last change of this feed.
    public var revision: UInt64 { marks.newest }

    /// - Returns: All fields that changed after `revision`; `nil` if there are none.
    public func updateMessage(
        after revision: UInt64, place: MessagePlace = .alone
    ) -> EncodedMessage? {
        guard marks.fields > revision else { return nil }
        // Search newest first: most viewers are at the same revision as the viewer before.
        for index in updates.indices.reversed()
        where updates[index].after == revision && updates[index].place == place {
            return updates[index].message
        }
        let changed = fields.lazy.compactMap { $0 }.filter { $0.revision > revision }
        let message = MessageWriter.message(
            .update, cursor: fieldsCursor, time: fieldsTime,
            runner: place == .inGroup ? runnerName : nil, fragments: changed.map(\.fragment))
        if updates.count == Self.memosMax { updates.removeFirst() }
        updates.append(Memo(after: revision, place: place, message: message))
        return message
    }
}

/// Whether a message is about a single share or about one runner of several.
public enum MessagePlace: Hashable, Sendable {
    case alone
    case inGroup
}
