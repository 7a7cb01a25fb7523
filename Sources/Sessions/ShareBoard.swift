package import SegmentLog
package import SensorModel
package import Sharing

/// Which shares show which session, and which loops have viewers of them. In the pipeline's turns
/// only.
///
/// A share without viewers and without delay has no view: it is made of the session's fields when
/// somebody comes, so an unwatched runner costs nothing here.
package final class ShareBoard {
    /// For the viewers of one share on one loop.
    package enum Message: Sendable {
        case update(FeedUpdate)
        case ended(CloseCode)
    }

    /// A viewer's place at a share, to be given back once.
    package struct Seat: Sendable {
        package let key: ShareKey
        fileprivate let loop: Int
        fileprivate let round: Int
    }

    struct Entry {
        var share: Share
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

    package private(set) var directory = ShareDirectory()
    private(set) var entries: [ShareKey: Entry] = [:]
    /// Shares with a delay: the only ones that time concerns.
    private var delayed: Set<ShareKey> = []
    private var delayedOfDevice: [DeviceID: Int] = [:]
    private var sessions = DeviceSessions()
    private var newest = NewestRecords()
    private var latestTime: Timestamp?
    private let send: (Int, ShareKey, Message) -> Void
    /// The views of a session, where they are in memory.
    private let views: (SessionID) -> SessionViews?

    package init(
        send: @escaping (Int, ShareKey, Message) -> Void,
        views: @escaping (SessionID) -> SessionViews?
    ) {
        self.send = send
        self.views = views
    }

    // MARK: What may be shown

    /// Takes a share over from the registry, or its new settings; who watches it must come again.
    package func put(_ share: Share) {
        close(share.key, code: .restarting)
        for changed in directory.put(share) { take(changed) }
        setDelayed(share.key, share.delaySeconds > 0 && share.revokedAt == nil)
    }

    /// What a share shows is another from here on.
    private func take(_ share: Share) {
        close(share.key, code: .restarting)
        let round = entries[share.key].map { $0.round + 1 } ?? 0
        entries[share.key] = Entry(share: share, round: round)
    }

    /// A share is deleted, as if it had never been.
    package func remove(_ key: ShareKey) {
        close(key, code: .unknownShare)
        setDelayed(key, false)
        for changed in directory.remove(key) { take(changed) }
        entries[key] = nil
    }

    /// Forgets what is shown of a share that is over; who watched it is closed one by one.
    package func letGo(of key: ShareKey) {
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
        for share in directory.shares(of: device) where entries[share.key]?.showing == session {
            close(share.key, code: .goingAway)
            entries[share.key]?.showing = nil
        }
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

    // MARK: What is shown

    /// Hands what a record changed to every view of its device that shows the session.
    ///
    /// - Parameters:
    ///   - updates: From the session's views.
    ///   - device: Whose session it is.
    ///   - arrival: When the record came.
    package func publish(
        _ updates: SessionUpdates, of device: DeviceID, at arrival: Timestamp
    ) {
        defer { newest.note(updates.everything.cursor.offset, of: device) }
        if let first = updates.hiding?.first {
            sessions.cameIntoView(first.update.session, of: device, at: arrival)
        }
        for share in directory.shares(of: device) {
            if let hiding = updates.hiding, share.obeysPrivacy {
                for dated in hiding { give(dated, to: share, at: arrival) }
            } else {
                let everything = SessionUpdates.Dated(
                    update: updates.everything, arrival: arrival)
                give(everything, to: share, at: arrival)
            }
        }
    }

    /// What time alone changed for those who see positions.
    package func publish(
        _ dated: SessionUpdates.Dated, of device: DeviceID, at now: Timestamp
    ) {
        sessions.cameIntoView(dated.update.session, of: device, at: now)
        for share in directory.shares(of: device) where share.obeysPrivacy {
            give(dated, to: share, at: now)
        }
    }

    private func give(_ dated: SessionUpdates.Dated, to share: Share, at now: Timestamp) {
        guard let entry = entries[share.key], share.isActive(at: now) else { return }
        let update = dated.update
        if entry.view == nil {
            guard share.delaySeconds > 0 else { return }
            // What it begins with may be an event of its own, still to be shown.
            let before = RecordOffset(rawValue: max(1, update.cursor.offset.rawValue) - 1)
            let start = update.event.isEmpty ? update.cursor.offset : before
            entries[share.key]?.view = ShareView(
                share, cursor: LogCursor(epoch: update.cursor.epoch, offset: start), at: now)
        }
        guard session(toShowOn: share, offered: update.session, at: now) else { return }
        var given = update
        if entry.showing != update.session {
            entries[share.key]?.showing = update.session
            if !update.begins, let views = views(update.session) {
                given = views.fields(for: share).everything
                given.event = update.event
                given.cursor = max(given.cursor, update.cursor)
            }
            entries[share.key]?.begunAt = given.cursor
        } else if let begunAt = entry.begunAt, update.cursor <= begunAt, !update.begins {
            return
        }
        let room = share.delaySeconds > 0 ? heldMax(share) : 0
        if var feed = entries[share.key]?.view?.take(given, at: dated.arrival, holding: room) {
            feed.arrival = dated.arrival == now ? now : nil
            broadcast(feed, of: share.key)
        }
    }

    /// Updates that a delayed share may hold back: those of a device share what one may, and all
    /// what ``HeldUpdates/allMax`` says.
    private func heldMax(_ share: Share) -> Int {
        let ofDevice = share.device.flatMap { delayedOfDevice[$0] } ?? 1
        let ofAll = HeldUpdates.allMax / max(1, delayed.count)
        return max(HeldUpdates.countMin, min(HeldUpdates.countMax / max(1, ofDevice), ofAll))
    }

    /// For tests.
    package func heldCount(of key: ShareKey) -> Int { entries[key]?.view?.heldCount ?? 0 }

    private func setDelayed(_ key: ShareKey, _ isDelayed: Bool) {
        let changed = isDelayed ? delayed.insert(key).inserted : delayed.remove(key) != nil
        guard changed, let device = directory[key]?.device else { return }
        delayedOfDevice[device, default: 0] += isDelayed ? 1 : -1
        if delayedOfDevice[device] == 0 { delayedOfDevice[device] = nil }
    }

    /// A session's fields were read back: views of it begin anew, at the device's newest record,
    /// since viewers may be past the session's own.
    package func refresh(_ session: SessionID, of device: DeviceID, at now: Timestamp) {
        guard let views = views(session) else { return }
        for share in directory.shares(of: device) {
            var everything = views.fields(for: share).everything
            guard everything.isKnown else { continue }
            if !views.hides(from: share) {
                everything.cursor = max(
                    everything.cursor, newest.cursor(of: device, like: everything.cursor))
            }
            give(SessionUpdates.Dated(update: everything, arrival: now), to: share, at: now)
        }
    }

    /// When the next delayed update is due; `nil`: none waits.
    package var nextDeadline: Timestamp? {
        delayed.compactMap { entries[$0]?.view?.nextDeadline }.min()
    }

    package func release(at now: Timestamp) {
        noteTime(now)
        for key in delayed {
            guard let due = entries[key]?.view?.nextDeadline, due <= now else { continue }
            // What was held back is not shown any more on a share that is over.
            guard entries[key]?.share.isActive(at: now) == true else {
                letGo(of: key)
                setDelayed(key, false)
                continue
            }
            for feed in entries[key]?.view?.release(at: now) ?? [] { broadcast(feed, of: key) }
        }
    }

    /// A delay is so long by a clock that was not touched. That it was set back shows; how long
    /// nothing came before does not, so that what is held waits that much longer at most.
    private func noteTime(_ now: Timestamp) {
        defer { latestTime = now }
        let difference = latestTime.map { $0.microseconds - now.microseconds } ?? 0
        // Event loops read it at slightly different moments.
        guard difference > 1_000_000 else { return }
        sessions.clockWentBack(byMicroseconds: difference)
        for key in delayed { entries[key]?.view?.clockWentBack(byMicroseconds: difference) }
    }

    // MARK: Who watches

    /// Adds a viewer; what it sees first is the returned snapshot.
    ///
    /// - Parameters:
    ///   - key: A share of a device.
    ///   - loop: Where the viewer's connection lives.
    ///   - cursor: Where the log is.
    ///   - now: Arrival clock.
    /// - Returns: The seat is to be given back by ``leave(_:)``; `nil` for a share that is gone.
    package func join(
        _ key: ShareKey, loop: Int, cursor: LogCursor, at now: Timestamp
    ) -> (seat: Seat, snapshot: FeedSnapshot)? {
        guard let snapshot = snapshot(key, cursor: cursor, at: now), let entry = entries[key]
        else { return nil }
        entries[key]?.viewers[loop, default: 0] += 1
        return (Seat(key: key, loop: loop, round: entry.round), snapshot)
    }

    /// What a viewer would see now. Makes the view where there is none.
    package func snapshot(_ key: ShareKey, cursor: LogCursor, at now: Timestamp) -> FeedSnapshot? {
        guard let entry = entries[key], entry.share.isActive(at: now) else { return nil }
        if let view = entry.view, entry.showing != nil || entry.share.delaySeconds > 0 {
            return view.snapshot
        }
        var view = ShareView(entry.share, cursor: cursor, at: now)
        if let shown = sessions.session(shownBy: entry.share, at: now), let views = views(shown),
            views.fields(for: entry.share).everything.isKnown
        {
            var everything = views.fields(for: entry.share).everything
            // A delayed one shows it later, after what its viewers may have seen by then.
            if entry.share.delaySeconds > 0, let device = entry.share.device,
                !views.hides(from: entry.share)
            {
                everything.cursor = max(
                    everything.cursor, newest.cursor(of: device, like: everything.cursor))
            }
            _ = view.take(everything, at: now)
            entries[key]?.showing = shown
            entries[key]?.begunAt = everything.cursor
        }
        entries[key]?.view = view
        return view.snapshot
    }

    /// How much of what a viewer missed it may have now; the feed tells the rest.
    ///
    /// - Parameters:
    ///   - share: Of a device.
    ///   - snapshot: What the viewer saw first.
    ///   - cursor: Where the log is.
    ///   - hides: Whether the owner hides something from the share.
    /// - Returns: The last record, and when it may be shown; `nil`: now.
    package func missed(
        of share: Share, before snapshot: FeedSnapshot, cursor: LogCursor, hides: Bool
    ) -> (through: RecordOffset, due: Timestamp?) {
        guard share.delaySeconds > 0 else {
            // What may be the finish is held back: it comes with the feed, and no second time.
            return (hides ? snapshot.cursor.offset : cursor.offset, nil)
        }
        guard snapshot.session == nil else { return (snapshot.cursor.offset, nil) }
        let due = snapshot.time.advanced(bySeconds: Double(share.delaySeconds))
        guard !hides else { return (snapshot.cursor.offset, due) }
        // A view that has shown nothing yet knows of no record before it that was shown in time.
        return (entries[share.key]?.view?.start ?? cursor.offset, due)
    }

    /// Does nothing for a seat from which its viewer was sent away.
    package func leave(_ seat: Seat) {
        guard let entry = entries[seat.key], entry.round == seat.round,
            let count = entry.viewers[seat.loop]
        else { return }
        entries[seat.key]?.viewers[seat.loop] = count > 1 ? count - 1 : nil
        dropUnwatched(seat.key)
    }

    /// Lets go of a view that was made for one look.
    package func dropUnwatched(_ key: ShareKey) {
        guard let entry = entries[key], entry.viewers.isEmpty, entry.share.delaySeconds == 0 else {
            return
        }
        entries[key]?.view = nil
        entries[key]?.showing = nil
        entries[key]?.begunAt = nil
    }

    /// Sessions that shares of the device show and that somebody watches.
    package func sessionsWatched(of device: DeviceID, at now: Timestamp) -> Set<SessionID> {
        let watched = directory.shares(of: device).filter {
            entries[$0.key]?.viewers.isEmpty == false
        }
        return Set(watched.compactMap { session(shownBy: $0, at: now) })
    }

    private func session(
        toShowOn share: Share, offered session: SessionID, at arrival: Timestamp
    ) -> Bool {
        // A delayed view must take what it will show later.
        var undelayed = share
        undelayed.delaySeconds = 0
        return sessions.session(shownBy: undelayed, at: arrival) == session
    }

    private func broadcast(_ feed: FeedUpdate, of key: ShareKey) {
        for loop in entries[key]?.viewers.keys ?? [:].keys { send(loop, key, .update(feed)) }
    }
}
