package import SegmentLog
package import SensorModel
package import Sharing

/// Maps shares to the sessions they show and to the loops with viewers. Used only in the pipeline's
/// turns.
///
/// A share without viewers and without delay has no view. The view is made from the session's
/// fields when a viewer subscribes, so a runner without viewers costs nothing here. Shares with
/// equal delays and rules have one common ``DelayedView``.
package final class ShareHub {
    /// A message for the viewers of one share on one loop.
    package enum Message: Sendable {
        case update(FeedUpdate)
        case ended(CloseCode)
    }

    /// A viewer's subscription to a share; it must be returned once.
    package struct Subscription: Sendable {
        package let key: ShareKey
        let loop: Int
        let round: Int
    }

    struct Entry {
        var share: Share
        /// View of a share without delay that has viewers.
        var view: ShareView?
        /// The session that the view received last.
        var showing: SessionID?
        /// Cursor of the last update; cursors only rise.
        var newest: LogCursor?
        /// Cursor of the last update of a public share that its viewers had to forget.
        var forgotten: LogCursor?
        /// Viewers by loop; a loop without one gets no updates.
        var viewers: [Int: Int] = [:]
        /// Number of times all viewers were closed: subscriptions from before the last time are
        /// invalid.
        var round = 0

        mutating func clear() {
            viewers = [:]
            view = nil
            showing = nil
            newest = nil
            round += 1
        }
    }

    /// Receivers of a device's updates.
    struct Audience {
        var delayed: [DelayedView.Kind] = []
        /// Shares that have a view of their own.
        var live: [ShareKey] = []
    }

    package private(set) var directory = ShareDirectory()
    var entries: [ShareKey: Entry] = [:]
    /// Views with a delay, the only ones that depend on time.
    var delayed: [DelayedView.Kind: DelayedView] = [:]
    var audiences: [DeviceID: Audience] = [:]
    var sessions = DeviceSessions()
    var newest = NewestRecords()
    var latestTime: Timestamp?
    let send: (Int, ShareKey, Message) -> Void
    /// The views of a session, if it is in memory.
    let views: (SessionID) -> SessionViews?

    package init(
        send: @escaping (Int, ShareKey, Message) -> Void,
        views: @escaping (SessionID) -> SessionViews?
    ) {
        self.send = send
        self.views = views
    }

    // MARK: What may be shown

    /// Adds a share from the registry, or its new settings; its viewers must reconnect.
    ///
    /// - Returns: Other shares of the device whose rule has changed; their viewers must reconnect,
    ///   too.
    @discardableResult
    package func put(_ share: Share) -> [ShareKey] {
        close(share.key, code: .restarting)
        let changed = directory.put(share)
        for share in changed { take(share) }
        return changed.map(\.key).filter { $0 != share.key }
    }

    /// Resets a share after a change of what it shows.
    private func take(_ share: Share) {
        close(share.key, code: .restarting)
        dropDelayed(share.key)
        let round = entries[share.key].map { $0.round + 1 } ?? 0
        entries[share.key] = Entry(share: share, round: round)
        guard share.revokedAt == nil, let kind = DelayedView.Kind(share) else { return }
        if delayed[kind] == nil { audiences[kind.device, default: Audience()].delayed.append(kind) }
        delayed[kind, default: DelayedView(kind)].add(share)
    }

    /// Removes a deleted share, as if it had never existed.
    package func remove(_ key: ShareKey) {
        close(key, code: .unknownShare)
        dropDelayed(key)
        let changed = directory.remove(key)
        entries[key] = nil
        for share in changed { take(share) }
    }

    /// Removes the share from its delayed view; nothing is held back for it any more.
    func dropDelayed(_ key: ShareKey) {
        guard let kind = entries[key].flatMap({ DelayedView.Kind($0.share) }) else { return }
        delayed[kind]?.remove(key)
        guard delayed[kind]?.isEmpty == true else { return }
        delayed[kind] = nil
        changeAudience(of: kind.device) { audience in audience.delayed.removeAll { $0 == kind } }
    }

    func changeAudience(of device: DeviceID, _ change: (inout Audience) -> Void) {
        change(&audiences[device, default: Audience()])
        guard let audience = audiences[device], audience.delayed.isEmpty, audience.live.isEmpty
        else { return }
        audiences[device] = nil
    }

    /// Drops the view of an expired share; its viewers are closed one by one.
    package func dropView(of key: ShareKey) {
        guard let share = entries[key]?.share else { return }
        if let device = share.device, entries[key]?.view != nil {
            changeAudience(of: device) { audience in audience.live.removeAll { $0 == key } }
        }
        if let kind = DelayedView.Kind(share) { delayed[kind]?.reset(key) }
        entries[key]?.clear()
    }

    /// Closes all viewers of the share, in a group or alone.
    package func close(_ key: ShareKey, code: CloseCode) {
        sendEnd(of: key, code)
        dropView(of: key)
    }

    func sendEnd(of key: ShareKey, _ code: CloseCode) {
        for loop in entries[key]?.viewers.keys ?? [:].keys { send(loop, key, .ended(code)) }
    }

    /// Begins a session; `isInView`: whether a share with positions may show it already.
    package func sessionBegan(
        _ session: SessionID, of device: DeviceID, at arrival: Timestamp, isInView: Bool = true
    ) {
        sessions.began(session, of: device, at: arrival, isInView: isInView)
    }

    /// Handles a session that continues from the log; see `DeviceSessions.continued`.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - device: Its device.
    ///   - began: Arrival of its first record.
    ///   - over: Time at which silence ended it; `nil` if no such end is known.
    ///   - now: Arrival clock.
    ///   - isInView: Whether a share with positions has shown anything of it.
    ///   - isHiding: Whether shares with positions hide something of it. If so, they show it again
    ///     with its next visible point.
    package func sessionContinued(
        _ session: SessionID, of device: DeviceID, began: Timestamp, overAt over: Timestamp?,
        at now: Timestamp, isInView: Bool, isHiding: Bool
    ) {
        sessions.continued(
            session, of: device, began: began, overAt: over, at: now, isInView: isInView)
        if !isHiding { sessions.shownAgain(session, of: device, at: now) }
    }

    /// Handles a session that was read from the log, after a restart or a change of settings:
    /// whether a share with positions shows anything of it is now known.
    package func sessionRead(
        _ session: SessionID, of device: DeviceID, isInView: Bool, at now: Timestamp
    ) {
        sessions.cameIntoView(session, of: device, at: isInView ? now : nil)
    }

    /// - Parameters:
    ///   - session: Session whose end was recorded, or that is dropped from memory.
    ///   - device: The session's device.
    ///   - arrival: Arrival of the end.
    ///   - last: Its last record.
    ///   - isInView: Whether shares with positions are shown the end by now.
    package func sessionEnded(
        _ session: SessionID, of device: DeviceID, at arrival: Timestamp,
        through last: RecordOffset, isInView: Bool
    ) {
        sessions.ended(session, of: device, at: arrival, through: last, isInView: isInView)
    }

    /// Called when shares with positions are shown the end, though the session may go on, or when
    /// they never will be.
    package func sessionEndedInView(
        _ session: SessionID, of device: DeviceID, at now: Timestamp
    ) {
        sessions.endedInView(session, of: device, at: now)
    }

    /// Restores the sessions recorded before this start; all count as ended until they resume.
    ///
    /// - Parameters:
    ///   - known: All sessions of the log.
    ///   - lost: ``SegmentLog/lostEnd``.
    ///   - now: Arrival clock.
    package func restore(
        _ known: [SessionSummary], lost: RecordOffset?, at now: Timestamp
    ) {
        // From here on a clock that is set back is detected.
        latestTime = now
        newest.restore(known, lost: lost)
        let latestSessions = Self.latest(of: known)
        for session in latestSessions {
            // If the clock was set back since, the session began at least as long ago as it lasted.
            let times = session.arrivalTimes
            let latest = now.advanced(
                bySeconds: -times.upperBound.seconds(since: times.lowerBound))
            sessions.began(
                session.session, of: session.device, at: min(times.lowerBound, latest),
                isInView: nil)
        }
        for session in latestSessions.sorted(by: { $0.lastOffset < $1.lastOffset }) {
            sessions.ended(
                session.session, of: session.device, at: session.arrivalTimes.upperBound,
                through: session.lastOffset, isCertain: false)
        }
    }

    /// The sessions of each device that began last, in order of their beginning. There are at most
    /// as many as ``DeviceSessions`` keeps of ended ones, since years of older sessions would slow
    /// the start.
    private static func latest(of known: [SessionSummary]) -> [SessionSummary] {
        var counts: [DeviceID: Int] = [:]
        let shared = known.filter { !$0.session.isImported }
        let kept = shared.sorted { $0.firstOffset < $1.firstOffset }.reversed().filter { session in
            counts[session.device, default: 0] += 1
            return counts[session.device, default: 0] <= DeviceSessions.endedMax
        }
        return kept.reversed()
    }

    package func sessionErased(_ session: SessionID, of device: DeviceID) {
        for kind in audiences[device]?.delayed ?? [] {
            for key in delayed[kind]?.erase(session) ?? [] {
                sendEnd(of: key, .goingAway)
                // The view keeps the held updates of other sessions.
                delayed[kind]?.watch(key, false)
                entries[key]?.clear()
            }
        }
        // An owner may erase thousands that no share has shown for years.
        guard sessions.erased(session, of: device) else { return }
        for share in directory.shares(of: device) where showing(on: share) == session {
            close(share.key, code: .goingAway)
        }
    }

    /// The session that the share showed last.
    func showing(on share: Share) -> SessionID? {
        if let kind = DelayedView.Kind(share) { return delayed[kind]?.showing(on: share.key) }
        return entries[share.key]?.showing
    }

    /// The session that a device's share shows; `nil`: none.
    package func session(shownBy share: Share, at now: Timestamp) -> SessionID? {
        sessions.session(shownBy: share, at: now)
    }

    /// The sessions of which a reconnecting viewer may have missed events.
    package func sessions(
        openTo share: Share, after offset: RecordOffset, at now: Timestamp
    ) -> [SessionID] {
        sessions.sessions(openTo: share, after: offset, at: now)
    }
}
