import SensorModel
import Sharing

/// One viewer: the messages it received, and the checks on them.
struct Spectator {
    let share: Share
    var queue = DeliveryState(rateHz: 1)
    /// The newest cursor received over all connections.
    var last: LogCursor?
    var isConnected = false
    /// Number of the current connection.
    var connection = 0
    /// The feed that the viewer receives; `nil`: none yet.
    var feed: FeedKey?
    /// Parts of the catch-up that the viewer's socket has not accepted yet.
    var inbox: [[(cursor: LogCursor, json: [UInt8])]] = []
    /// The device's privacy settings at the start of the stream.
    private var privacy = Life.Privacy()
    private var hasResumed = false
    private var wasSnapshot = false
    /// Whether an event of another session came, and its snapshot is still due.
    private var isSnapshotOwed = false
    /// Whether the first snapshot of this stream has come.
    private var hasBegun = false
    /// Events already received that lie after the resumed cursor; another session's view may have
    /// moved it back.
    private var repeatable: Set<UInt64> = []
    /// Offsets of received ends; an end of a view has its own number, which may equal that of
    /// another record.
    private var ends: Set<UInt64> = []
    /// Offsets of received events.
    private(set) var events: Set<UInt64> = []
    /// All events after this offset are promised; `nil`: the viewer was never connected.
    private(set) var promisedAfter: RecordOffset?

    init(_ share: Share) { self.share = share }

    /// - Parameter index: The spectator's place among all.
    /// - Returns: Its current connection, or the last one.
    func viewer(_ index: Int) -> Life.Viewer { Life.Viewer(index: index, connection: connection) }

    /// Starts a stream, or restarts it on the same connection.
    mutating func begin(
        _ feed: FeedKey, _ start: Life.Start, at snapshot: LogCursor, isNew: Bool,
        _ privacy: Life.Privacy
    ) {
        let wasLive = self.feed?.isLive ?? true
        self.feed = feed
        hasBegun = false
        isSnapshotOwed = false
        inbox = []
        let isOfOtherSettings = privacy.generation != self.privacy.generation
        self.privacy = privacy
        hasResumed = start.catchingUp
        guard !start.catchingUp else {
            if let place = start.resumedAt {
                repeatable = events.filter { $0 > place.offset.rawValue }
            }
            // Nothing is promised before a gap, of a recording, or under other settings.
            if promisedAfter == nil || isOfOtherSettings { promisedAfter = start.resumedAt?.offset }
            return
        }
        promisedAfter = feed.isLive ? snapshot.offset : nil
        // The cursor moves back in a recording, on the return from one, and after a gap.
        if isNew || start.hasGap || !feed.isLive || !wasLive {
            last = nil
            events = []
        }
    }

    /// - Returns: Whether the message is an event.
    mutating func take(_ json: [UInt8], _ cursor: LogCursor) throws(Violation) -> Bool {
        let isSnapshot = [#"{"type":"snapshot""#, #"{"type":"gap""#].contains {
            json.starts(with: $0.utf8)
        }
        let isEvent = [#"{"type":"event""#, #"{"type":"end""#].contains {
            json.starts(with: $0.utf8)
        }
        if let last {
            // A snapshot carries the cursor at which the viewer resumed. If a session's first
            // record is an event, its snapshot has the event's cursor.
            let isRising = isSnapshot || wasSnapshot ? cursor >= last : cursor > last
            // A seek moves the cursor back, and a snapshot announces it.
            let isSeek = isSnapshot && feed?.isLive == false
            // With hidden parts, the shown state may be older than the resumed cursor: of another
            // session, or of the time before a crash or change of settings.
            let isRefreshed =
                share.hidesPlaces && (isSnapshot || hasResumed)
                && !privacy.settings.hidesNothing
            // Events precede the merged fields, so that cursors rise. This also applies to events
            // of another place in a recording, and to held-back events of a newly shown session.
            // The snapshot follows them.
            let isHeldBack = share.hidesPlaces && !privacy.settings.hidesNothing
            let isOther = isEvent && (isHeldBack || feed?.isLive == false)
            let isInOrder = isRising || isSeek || isRefreshed
            guard isInOrder || isOther, !isSnapshotOwed || isSnapshot || isEvent else {
                throw Violation("a viewer at \(last) was sent \(cursor): \(text(json))")
            }
            isSnapshotOwed = !isSnapshot && (isSnapshotOwed || !isInOrder)
        }
        last = cursor
        wasSnapshot = isSnapshot
        if isSnapshot {
            // A snapshot that is not the stream's first announces another session.
            if hasBegun, feed?.isLive == true {
                promisedAfter = cursor.offset
            } else if hasBegun {
                events = []
            }
            hasBegun = json.starts(with: #"{"type":"snapshot""#.utf8)
        }
        try checkScope(json)
        if json.starts(with: #"{"type":"end""#.utf8) { ends.insert(cursor.offset.rawValue) }
        if isEvent, !events.insert(cursor.offset.rawValue).inserted,
            !ends.contains(cursor.offset.rawValue),
            repeatable.remove(cursor.offset.rawValue) == nil, !isSnapshotOwed
        {
            throw Violation("a viewer was sent the event of \(cursor) twice")
        }
        return isEvent
    }

    /// Checks that the message has no key or event that needs a scope which the share lacks.
    private func checkScope(_ json: [UInt8]) throws(Violation) {
        guard share.scope != .all else { return }
        var start: Int?
        for index in json.indices where json[index] == UInt8(ascii: "\"") {
            guard let open = start else {
                start = index
                continue
            }
            start = nil
            let word = String(decoding: json[(open + 1)..<index], as: UTF8.self)
            guard let needed = Self.needed[word], !share.scope.isSuperset(of: needed) else {
                continue
            }
            throw Violation("a viewer without the scope was sent \(word): \(text(json))")
        }
    }

    private static let needed: [String: Scope] = {
        var needed: [String: Scope] = [
            "latitude": .location, "longitude": .location, "zoneChanged": .heartRate,
            "sourceChanged": .heartRate, "zoneDrift": .heartRate, "split": .metrics,
            "lap": .metrics, "offCourse": .location, "checkpointReached": .location,
        ]
        for key in FieldKey.allCases where key.neededScope != [] {
            needed[key.name] = key.neededScope
        }
        return needed
    }()

    private func text(_ json: [UInt8]) -> String { String(decoding: json, as: UTF8.self) }
}
