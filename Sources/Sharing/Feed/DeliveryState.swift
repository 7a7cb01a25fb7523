public import SensorModel

/// The delivery state of one viewer: how much was sent, and what may be sent next. Pure: the socket
/// code performs the actions.
///
///     catchingUp --caughtUp--> open <--becameWritable / becameUnwritable--> blocked
///
/// It holds no message. The pending data are the changes in its feeds above ``sent``: at most one
/// value a field and a bounded window of events. So a viewer that does not read needs no memory.
public struct DeliveryState: Sendable {
    /// Updates a second; also the range that a viewer may request.
    public static let validRate: ClosedRange<Double> = 0.2...20
    /// Maximum time that a viewer may be blocked, longer than a usual network interruption.
    public static let blockedNanosecondsMax: UInt64 = 30_000_000_000

    public enum Action: Hashable, Sendable {
        /// Nothing is due, or the socket is blocked.
        case idle
        /// Write the bytes appended to the messages.
        case write
        /// A message is due later; flush again at that time.
        case wait(untilNanoseconds: UInt64)
        case disconnect(CloseCode)
    }

    /// The revision up to which all changes were sent.
    private(set) var sent: UInt64 = 0
    private let place: MessagePlace
    private let periodNanoseconds: UInt64
    private var nextUpdateNanoseconds: UInt64 = 0
    private var catchingUp: Bool
    /// The cursor of a reconnecting viewer, which already has the events up to it. After a change
    /// of privacy settings the feed may hold some of these back and then show them again.
    private var resumed: LogCursor?
    private var blockedSince: UInt64?

    /// - Parameters:
    ///   - rateHz: Updates a second, clamped to ``validRate``; `nil`: one.
    ///   - place: ``MessagePlace/inGroup`` for the viewers of a group share.
    ///   - catchingUp: Whether history is being fetched; live events then wait for ``caughtUp()``.
    public init(rateHz: Double?, place: MessagePlace = .alone, catchingUp: Bool = false) {
        let asked = rateHz ?? 1
        let rate =
            asked.isNaN ? 1 : min(max(asked, Self.validRate.lowerBound), Self.validRate.upperBound)
        self.place = place
        periodNanoseconds = UInt64(1e9 / rate)
        self.catchingUp = catchingUp
    }

    /// Appends the snapshot of every feed. Later changes become due.
    ///
    /// - Parameters:
    ///   - feeds: One feed, or those of a group's members.
    ///   - now: The loop's steady clock, nanoseconds.
    ///   - resumed: The cursor of a reconnecting viewer; `nil` on a first connection.
    ///   - messages: Receives one snapshot for each feed.
    public mutating func begin(
        _ feeds: [ShareFeed], at now: UInt64, resumedAt resumed: LogCursor? = nil,
        into messages: inout [EncodedMessage]
    ) {
        // A group's members have delays of their own, so one cursor does not apply to all of them.
        self.resumed = place == .alone ? resumed : nil
        for feed in feeds.sorted(by: { $0.cursor < $1.cursor }) {
            messages.append(
                feed.snapshotMessage(resumedAt: resumed, place: place))
            sent = max(sent, feed.revision)
        }
        nextUpdateNanoseconds = now + periodNanoseconds
    }

    /// Continues with the changes since the snapshot, after the history was written up to it.
    public mutating func caughtUp() {
        catchingUp = false
    }

    /// Notes that the socket accepted only part of the bytes.
    public mutating func becameUnwritable(at now: UInt64) {
        if blockedSince == nil { blockedSince = now }
    }

    public mutating func becameWritable() {
        blockedSince = nil
    }

    /// Appends the messages that are due. Call it after a batch of updates, at the time of an
    /// ``Action/wait(untilNanoseconds:)``, and when the socket is writable again.
    ///
    /// - Parameters:
    ///   - feeds: The feeds passed to `begin`.
    ///   - now: The loop's steady clock, nanoseconds.
    ///   - messages: Due messages are appended, in the order of cursors.
    /// - Returns: The action for the transport.
    public mutating func flush(
        _ feeds: [ShareFeed], at now: UInt64, into messages: inout [EncodedMessage]
    ) -> Action {
        // A viewer that is still fetching history has messages due.
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

    /// An update may be an eighth of the period early. A device's seconds have jitter, and an exact
    /// wait would cost every viewer a timer and a late value.
    private var slackNanoseconds: UInt64 { periodNanoseconds / 8 }

    /// Appends events before the last change of a field, the merged fields, then later events, so
    /// that cursors rise.
    private mutating func appendOwed(
        by feed: ShareFeed, _ marks: ShareFeed.Marks, at now: UInt64,
        into messages: inout [EncodedMessage]
    ) {
        let events = marks.event > sent ? feed.events.entries(after: sent) : []
        for event in events where event.revision < marks.fields && !hasHad(event) {
            messages.append(event.message(place))
        }
        if sent < marks.restart {
            messages.append(feed.restartMessage(place: place))
            nextUpdateNanoseconds = now + periodNanoseconds
        } else if let update = feed.updateMessage(after: sent, place: place) {
            messages.append(update)
            // An early update keeps the schedule; an urgent one starts a new period.
            let onTime = min(nextUpdateNanoseconds, now + slackNanoseconds)
            nextUpdateNanoseconds = max(now, onTime) + periodNanoseconds
        }
        for event in events where event.revision >= marks.fields && !hasHad(event) {
            messages.append(event.message(place))
        }
    }

    /// Whether the viewer got the event before it reconnected.
    private func hasHad(_ event: EventWindow.Entry) -> Bool {
        resumed.map { event.alone.cursor <= $0 } ?? false
    }
}
