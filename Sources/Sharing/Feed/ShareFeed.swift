public import SensorModel

/// What one loop knows of one share: the newest fragment of each field, and the last events.
///
/// It is all that lies between the pipeline and the sockets. A viewer is only a number, the
/// revision it was last sent: its next update is the fragments that changed after it, so merging is
/// leaving out what was overwritten, and viewers at the same number share one encoding. Belongs to
/// one loop.
public final class ShareFeed {
    public let share: ShareKey
    /// Precedes this share's values in a group.
    public let runnerName: String
    public private(set) var cursor: LogCursor
    /// Device time of the newest record.
    public private(set) var time: Timestamp
    public private(set) var heartRate: HeartRateReading?

    /// The loop's count of changes when this feed last changed.
    public private(set) var revision: UInt64
    /// The newest change that does not wait for a viewer's rate.
    private(set) var urgentRevision: UInt64
    /// The newest change of a field, and the record it came with.
    private(set) var fieldsRevision: UInt64
    private var fieldsCursor: LogCursor
    private var fieldsTime: Timestamp
    /// Who was sent less than this needs a snapshot: another session has begun.
    private(set) var snapshotRevision: UInt64

    private var fields: [Field?] = Array(repeating: nil, count: FieldKey.allCases.count)
    private(set) var events: EventWindow
    private var updates: [Memo] = []
    private var restarts: [Memo] = []

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

    init(share: ShareKey, runnerName: String, snapshot: FeedSnapshot, revision: UInt64) {
        self.share = share
        self.runnerName = runnerName
        cursor = snapshot.cursor
        time = snapshot.time
        heartRate = snapshot.heartRate
        self.revision = revision
        urgentRevision = 0
        fieldsRevision = revision
        fieldsCursor = snapshot.cursor
        fieldsTime = snapshot.time
        snapshotRevision = revision
        events = EventWindow(bytesMax: Limits.subscriberBytesMax)
        for fragment in snapshot.fields {
            fields[Int(fragment.key.rawValue)] = Field(fragment: fragment, revision: revision)
        }
    }

    func apply(_ update: FeedUpdate, revision: UInt64) {
        self.revision = revision
        cursor = update.cursor
        time = update.time
        if update.begins {
            fields = Array(repeating: nil, count: fields.count)
            heartRate = nil
            snapshotRevision = revision
        }
        if update.begins || !update.changed.isEmpty {
            fieldsRevision = revision
            fieldsCursor = update.cursor
            fieldsTime = update.time
            updates.removeAll(keepingCapacity: true)
            restarts.removeAll(keepingCapacity: true)
        }
        for fragment in update.changed {
            fields[Int(fragment.key.rawValue)] = Field(fragment: fragment, revision: revision)
        }
        if let reading = update.heartRate { heartRate = reading }
        if update.urgent || update.begins || update.event != nil { urgentRevision = revision }
        if let event = update.event {
            events.append(event, cursor: update.cursor, revision: revision, runner: runnerName)
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

    /// - Returns: Every field that changed after a viewer was at `revision`; `nil` if none did.
    public func updateMessage(
        after revision: UInt64, place: MessagePlace = .alone
    ) -> EncodedMessage? {
        guard fieldsRevision > revision else { return nil }
        if let memo = updates.first(where: { $0.after == revision && $0.place == place }) {
            return memo.message
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
