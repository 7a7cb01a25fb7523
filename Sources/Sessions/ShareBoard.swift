package import SegmentLog
package import SensorModel
package import Sharing

/// Which shares show which session, and which loops have viewers of them. In the pipeline's turns
/// only.
///
/// A share without viewers and without delay has no view: it is made of the session's fields when
/// somebody comes, so an unwatched runner costs nothing here. Shares that hold back the same have one
/// ``DelayedView`` together.
package final class ShareBoard {
    /// For the viewers of one share on one loop.
    package enum Message: Sendable {
        case update(FeedUpdate)
        case ended(CloseCode)
    }

    /// A viewer's place at a share, to be given back once.
    package struct Seat: Sendable {
        package let key: ShareKey
        let loop: Int
        let round: Int
    }

    struct Entry {
        var share: Share
        /// Of a share without delay that somebody watches.
        var view: ShareView?
        /// What the view was last given.
        var showing: SessionID?
        /// The cursor at which it was given everything: no older update tells it anything.
        var begunAt: LogCursor?
        /// Viewers by loop; a loop without one gets no updates.
        var viewers: [Int: Int] = [:]
        /// Counts how often all viewers were sent away: a seat of before is no seat any more.
        var round = 0

        mutating func clear() {
            viewers = [:]
            view = nil
            showing = nil
            begunAt = nil
            round += 1
        }
    }

    /// What updates of a device go to.
    struct Audience {
        var delayed: [DelayedView.Kind] = []
        /// Shares with a view of their own.
        var live: [ShareKey] = []
    }

    package private(set) var directory = ShareDirectory()
    var entries: [ShareKey: Entry] = [:]
    /// The only ones that time concerns.
    var delayed: [DelayedView.Kind: DelayedView] = [:]
    var audiences: [DeviceID: Audience] = [:]
    var sessions = DeviceSessions()
    var newest = NewestRecords()
    var latestTime: Timestamp?
    let send: (Int, ShareKey, Message) -> Void
    /// The views of a session, where they are in memory.
    let views: (SessionID) -> SessionViews?

    package init(
        send: @escaping (Int, ShareKey, Message) -> Void,
        views: @escaping (SessionID) -> SessionViews?
    ) {
        self.send = send
        self.views = views
    }

    // MARK: What may be shown

    /// Takes a share over from the registry, or its new settings; who watches it must come again.
    ///
    /// - Returns: Others of its device for which another rule holds now: who watches those, too.
    @discardableResult
    package func put(_ share: Share) -> [ShareKey] {
        close(share.key, code: .restarting)
        let changed = directory.put(share)
        for share in changed { take(share) }
        return changed.map(\.key).filter { $0 != share.key }
    }

    /// What a share shows is another from here on.
    private func take(_ share: Share) {
        close(share.key, code: .restarting)
        dropDelayed(share.key)
        let round = entries[share.key].map { $0.round + 1 } ?? 0
        entries[share.key] = Entry(share: share, round: round)
        guard share.revokedAt == nil, let kind = DelayedView.Kind(share) else { return }
        if delayed[kind] == nil { audiences[kind.device, default: Audience()].delayed.append(kind) }
        delayed[kind, default: DelayedView(kind)].add(share)
    }

    /// A share is deleted, as if it had never been.
    package func remove(_ key: ShareKey) {
        close(key, code: .unknownShare)
        dropDelayed(key)
        let changed = directory.remove(key)
        entries[key] = nil
        for share in changed { take(share) }
    }

    /// Nothing is held back for the share any more.
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

    /// Forgets what is shown of a share that is over; who watched it is closed one by one.
    package func letGo(of key: ShareKey) {
        guard let share = entries[key]?.share else { return }
        if let device = share.device, entries[key]?.view != nil {
            changeAudience(of: device) { audience in audience.live.removeAll { $0 == key } }
        }
        if let kind = DelayedView.Kind(share) { delayed[kind]?.letGo(of: key) }
        entries[key]?.clear()
    }

    /// Closes whoever watches the share now, in a group or alone.
    package func close(_ key: ShareKey, code: CloseCode) {
        guard let entry = entries[key] else { return }
        for loop in entry.viewers.keys { send(loop, key, .ended(code)) }
        letGo(of: key)
    }

    /// A session begins or goes on; `isInView`: whether a share with positions may show it already.
    package func sessionBegan(
        _ session: SessionID, of device: DeviceID, at arrival: Timestamp, isInView: Bool = true
    ) {
        sessions.began(session, of: device, at: arrival, isInView: isInView)
    }

    /// A session of before this start, or of other settings, was read: now it is known whether a
    /// share with positions shows anything of it.
    package func sessionRead(
        _ session: SessionID, of device: DeviceID, isInView: Bool, at now: Timestamp
    ) {
        sessions.cameIntoView(session, of: device, at: isInView ? now : nil)
    }

    package func sessionEnded(
        _ session: SessionID, of device: DeviceID, at arrival: Timestamp, through last: RecordOffset
    ) {
        sessions.ended(session, of: device, at: arrival, through: last)
    }

    /// What devices recorded before this start; all of it counts as ended until it goes on.
    ///
    /// - Parameters:
    ///   - known: All of it.
    ///   - lost: As ``SegmentLog/lostEnd`` has it.
    ///   - now: Arrival clock.
    package func restore(
        _ known: [SessionSummary], lost: RecordOffset?, at now: Timestamp
    ) {
        // From here on a clock that is set back shows.
        latestTime = now
        newest.restore(known, lost: lost)
        for session in known.sorted(by: { $0.firstOffset < $1.firstOffset }) {
            // Where the clock was set back since, it began as long ago as it lasted, at least.
            let times = session.arrivalTimes
            let latest = now.advanced(
                bySeconds: -times.upperBound.seconds(since: times.lowerBound))
            sessions.began(
                session.session, of: session.device, at: min(times.lowerBound, latest))
        }
        for session in known.sorted(by: { $0.lastOffset < $1.lastOffset }) {
            sessions.ended(
                session.session, of: session.device, at: session.arrivalTimes.upperBound,
                through: session.lastOffset)
        }
    }

    package func sessionErased(_ session: SessionID, of device: DeviceID) {
        sessions.erased(session, of: device)
        for share in directory.shares(of: device) where showing(on: share) == session {
            close(share.key, code: .goingAway)
        }
    }

    /// What the share was last given to show.
    func showing(on share: Share) -> SessionID? {
        if let kind = DelayedView.Kind(share) { return delayed[kind]?.showing(on: share.key) }
        return entries[share.key]?.showing
    }

    /// The session a share of a device shows; `nil`: none.
    package func session(shownBy share: Share, at now: Timestamp) -> SessionID? {
        sessions.session(shownBy: share, at: now)
    }

    /// The sessions of which a viewer that comes back may have missed something.
    package func sessions(
        openTo share: Share, after offset: RecordOffset, at now: Timestamp
    ) -> [SessionID] {
        sessions.sessions(openTo: share, after: offset, at: now)
    }
}
