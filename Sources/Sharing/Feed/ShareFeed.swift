public import SensorModel

/// What one loop knows of one share: the newest fragment of each field, and the last events.
///
/// It is all that lies between the pipeline and the sockets. A viewer is only a number, the
/// revision it was last sent: its next update is the fragments that changed after it, so merging is
/// leaving out what was overwritten, and viewers at the same number share one encoding. Belongs to
/// one loop.
public final class ShareFeed {
    public let key: FeedKey
    /// Precedes this share's values in a group.
    public let runnerName: String
    public private(set) var cursor: LogCursor
    /// Device time of the newest record.
    public private(set) var time: Timestamp
    public private(set) var heartRate: HeartRateReading?

    /// Where the newest changes of each kind stand. One value, since every viewer's flush reads it.
    private(set) var marks: Marks
    private var fieldsCursor: LogCursor
    private var fieldsTime: Timestamp

    private var fields: [Field?] = Array(repeating: nil, count: FieldKey.allCases.count)
    private(set) var events = EventWindow()
    private var updates: [Memo] = []
    private var restarts: [Memo] = []

    /// Revisions: the loop's count of changes.
    struct Marks {
        /// Of anything.
        var newest: UInt64
        /// Of what does not wait for a viewer's rate.
        var urgent: UInt64 = 0
        /// Of a field.
        var fields: UInt64
        /// Another session began: who was sent less needs a snapshot.
        var restart: UInt64
        /// Of an event.
        var event: UInt64 = 0
        /// Events up to here may be gone: who was sent less is too slow.
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

    /// Points that viewers of one share commonly stand at: one for each rate in use.
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

    /// Takes what changed; as many bytes of events are kept for viewers that do not keep up.
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

    /// Everything known now, for a viewer that begins.
    ///
    /// - Parameters:
    ///   - resumed: The cursor a viewer comes back with. Its snapshot carries it, so that the
    ///     cursors of the events after it rise. `nil` on a first connection: the snapshot says so,
    ///     and nobody is alerted by old news.
    ///   - place: Alone, or under the runner's name in a group.
    /// - Returns: A message for this viewer.
    public func snapshotMessage(
        resumedAt resumed: LogCursor? = nil, place: MessagePlace = .alone
    ) -> EncodedMessage {
        snapshot(
            initial: resumed == nil, cursor: resumed ?? cursor, time: time, place: place)
    }

    /// Everything known since another session began, in the place of an update.
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

    /// The loop's count of changes when this feed last changed.
    public var revision: UInt64 { marks.newest }

    /// - Returns: Every field that changed after a viewer was at `revision`; `nil` if none did.
    public func updateMessage(
        after revision: UInt64, place: MessagePlace = .alone
    ) -> EncodedMessage? {
        guard marks.fields > revision else { return nil }
        // The newest first: most viewers stand where the last one stood.
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

/// Whether a message is of a share of its own or of one runner of several.
public enum MessagePlace: Hashable, Sendable {
    case alone
    case inGroup
}
