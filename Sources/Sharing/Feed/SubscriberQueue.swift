public import SensorModel

/// What one viewer has been sent and may be sent next. Pure: the socket code does what it says.
///
///     catchingUp --caughtUp--> open <--becameWritable / becameUnwritable--> blocked
///
/// It holds no message: what is pending is what its feeds hold above ``sent``, at most one value a
/// field and a bounded window of events. So a viewer that reads nothing costs nothing.
public struct SubscriberQueue: Sendable {
    /// Updates a second, also what a viewer may ask for.
    public static let validRate: ClosedRange<Double> = 0.2...20
    /// Longer than any network hiccup a viewer comes back from by itself.
    public static let blockedNanosecondsMax: UInt64 = 30_000_000_000

    public enum Action: Hashable, Sendable {
        /// Nothing is owed, or nothing can be written.
        case idle
        /// Write what was appended to the messages.
        case write
        /// Something is owed and its time has not come; flush again then.
        case wait(untilNanoseconds: UInt64)
        case disconnect(CloseCode)
    }

    /// The revision up to which everything was sent.
    private(set) var sent: UInt64 = 0
    private let place: MessagePlace
    private let periodNanoseconds: UInt64
    private var nextUpdateNanoseconds: UInt64 = 0
    private var catchingUp: Bool
    private var blockedSince: UInt64?

    /// - Parameters:
    ///   - rateHz: Clamped to ``validRate``; `nil`: one a second.
    ///   - place: ``MessagePlace/inGroup`` for the viewers of a group share.
    ///   - catchingUp: History is being fetched; live events wait for ``caughtUp()``.
    public init(rateHz: Double?, place: MessagePlace = .alone, catchingUp: Bool = false) {
        let asked = rateHz ?? 1
        let rate = asked.isNaN ? 1 : min(max(asked, 0.2), 20)
        self.place = place
        periodNanoseconds = UInt64(1e9 / rate)
        self.catchingUp = catchingUp
    }

    /// Appends the snapshot of every feed; what happens after it is owed.
    ///
    /// - Parameters:
    ///   - feeds: One, or a group's members.
    ///   - now: The loop's steady clock, nanoseconds.
    ///   - resumed: The cursor the viewer came back with; `nil` on a first connection.
    ///   - messages: Gets one snapshot a feed.
    public mutating func begin(
        _ feeds: [ShareFeed], at now: UInt64, resumedAt resumed: LogCursor? = nil,
        into messages: inout [EncodedMessage]
    ) {
        for feed in feeds.sorted(by: { $0.cursor < $1.cursor }) {
            messages.append(
                feed.snapshotMessage(resumedAt: resumed, place: place))
            sent = max(sent, feed.revision)
        }
        nextUpdateNanoseconds = now + periodNanoseconds
    }

    /// History is written up to the snapshot: go on with what has happened since.
    public mutating func caughtUp() {
        catchingUp = false
    }

    /// The socket took less than it was given.
    public mutating func becameUnwritable(at now: UInt64) {
        if blockedSince == nil { blockedSince = now }
    }

    public mutating func becameWritable() {
        blockedSince = nil
    }

    /// Call after a batch of updates was applied, at the time a ``Action/wait(untilNanoseconds:)``
    /// named, and when the socket can be written again.
    ///
    /// - Parameters:
    ///   - feeds: Those that were begun with.
    ///   - now: The loop's steady clock, nanoseconds.
    ///   - messages: What is to be written is appended, in the order of cursors.
    /// - Returns: What the transport is to do.
    public mutating func flush(
        _ feeds: [ShareFeed], at now: UInt64, into messages: inout [EncodedMessage]
    ) -> Action {
        // Who waits for history is owed it.
        var owed = catchingUp
        var urgent = false
        for feed in feeds {
            let marks = feed.marks
            guard marks.newest > sent else { continue }
            owed = true
            if marks.urgent > sent { urgent = true }
            if marks.lostEvent > sent { return .disconnect(.tooSlow) }
        }
        if let blockedSince {
            let stuck = now > blockedSince + Self.blockedNanosecondsMax
            return owed && stuck ? .disconnect(.tooSlow) : .idle
        }
        guard owed, !catchingUp else { return .idle }
        guard urgent || now + slackNanoseconds >= nextUpdateNanoseconds else {
            return .wait(untilNanoseconds: nextUpdateNanoseconds)
        }
        let first = messages.count
        var newest = sent
        for feed in feeds {
            let marks = feed.marks
            guard marks.newest > sent else { continue }
            appendOwed(by: feed, marks, at: now, into: &messages)
            newest = max(newest, marks.newest)
        }
        sent = newest
        if feeds.count > 1 { messages[first...].sort { $0.cursor < $1.cursor } }
        return messages.count > first ? .write : .idle
    }

    /// An eighth early is on time: a device's seconds jitter, and waiting for the rest of one would
    /// cost every viewer a timer and a late value.
    private var slackNanoseconds: UInt64 { periodNanoseconds / 8 }

    /// Events before the last change of a field, the merged fields, events after it: the cursors
    /// rise.
    private mutating func appendOwed(
        by feed: ShareFeed, _ marks: ShareFeed.Marks, at now: UInt64,
        into messages: inout [EncodedMessage]
    ) {
        let events = marks.event > sent ? feed.events.entries(after: sent) : []
        for event in events where event.revision < marks.fields {
            messages.append(event.message(place))
        }
        if sent < marks.restart {
            messages.append(feed.restartMessage(place: place))
            nextUpdateNanoseconds = now + periodNanoseconds
        } else if let update = feed.updateMessage(after: sent, place: place) {
            messages.append(update)
            // What came a little early is made up for; what was urgent is not held against it.
            let onTime = min(nextUpdateNanoseconds, now + slackNanoseconds)
            nextUpdateNanoseconds = max(now, onTime) + periodNanoseconds
        }
        for event in events where event.revision >= marks.fields {
            messages.append(event.message(place))
        }
    }
}
