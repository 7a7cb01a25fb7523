import SensorModel
import Sharing

/// One viewer: what it was sent, and what it must never be sent.
struct Spectator {
    let share: Share
    var queue = DeliveryState(rateHz: 1)
    /// The newest cursor it has, over all its connections.
    var last: LogCursor?
    var isConnected = false
    /// Counts its connections.
    var connection = 0
    /// What it is sent; `nil`: nothing yet.
    var feed: FeedKey?
    /// Parts of what it missed that its socket has not taken yet.
    var inbox: [[(cursor: LogCursor, json: [UInt8])]] = []
    /// Settings of its device, as of its stream's beginning.
    private var privacy = Life.Privacy()
    private var hasResumed = false
    private var wasSnapshot = false
    /// Had an event of another session, and not its snapshot yet.
    private var isSnapshotOwed = false
    /// Had the first snapshot of this stream.
    private var hasBegun = false
    /// Events it has had that are after the cursor it came back with: another session's view may
    /// have set it back.
    private var repeatable: Set<UInt64> = []
    /// Offsets at which it was told of an end. That of a view has a number of its own, which may be
    /// that of another session's record.
    private var ends: Set<UInt64> = []
    /// Offsets of events it has had.
    private(set) var events: Set<UInt64> = []
    /// It was promised every event after this one; `nil`: it was never connected.
    private(set) var promisedAfter: RecordOffset?

    init(_ share: Share) { self.share = share }

    /// A stream begins, or begins again on the same connection.
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
            // Of before its gap, of a recording, and by other settings it was promised nothing.
            if promisedAfter == nil || isOfOtherSettings { promisedAfter = start.resumedAt?.offset }
            return
        }
        promisedAfter = feed.isLive ? snapshot.offset : nil
        // A recording goes back; so does who returns from one, or is told of a gap.
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
            // A snapshot carries the cursor that the viewer came back with. That of a session
            // whose first record is an event shares its cursor with it.
            let isRising = isSnapshot || wasSnapshot ? cursor >= last : cursor > last
            // A seek goes back; the snapshot tells it.
            let isSeek = isSnapshot && feed?.isLive == false
            // Where something is hidden, what is shown may be older than what a viewer came back
            // with: of another session, or before a crash or other settings.
            let isRefreshed =
                share.obeysPrivacy && (isSnapshot || hasResumed)
                && !privacy.settings.hidesNothing
            // Events come before the merged fields, so that cursors rise: also those of another
            // place in a recording, and those held back of a session that is shown from here on.
            // Its snapshot follows.
            let isHeldBack = share.obeysPrivacy && !privacy.settings.hidesNothing
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
            // Not the stream's first: another session is shown from here on.
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

    /// Keys and events that need a part which the share does not show.
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
