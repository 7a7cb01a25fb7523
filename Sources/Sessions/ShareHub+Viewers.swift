package import SensorModel
package import Sharing

/// Viewers of shares.
extension ShareHub {
    /// Adds a viewer; the returned snapshot is the first thing it sees.
    ///
    /// - Parameters:
    ///   - key: Key of a device's share.
    ///   - loop: Index of the loop of the viewer's connection.
    ///   - cursor: The log's cursor.
    ///   - now: Arrival clock.
    /// - Returns: The subscription, which must be returned by ``leave(_:)``; `nil` for a share that
    ///   does not exist.
    package func join(
        _ key: ShareKey, loop: Int, cursor: LogCursor, at now: Timestamp
    ) -> (subscription: Subscription, snapshot: FeedSnapshot)? {
        guard let snapshot = snapshot(key, cursor: cursor, at: now), let entry = entries[key]
        else { return nil }
        entries[key]?.viewers[loop, default: 0] += 1
        if let kind = DelayedView.Kind(entry.share) { delayed[kind]?.watch(key, true) }
        return (Subscription(key: key, loop: loop, round: entry.round), snapshot)
    }

    /// The snapshot that a viewer would see now. Makes the view if there is none.
    package func snapshot(_ key: ShareKey, cursor: LogCursor, at now: Timestamp) -> FeedSnapshot? {
        forgetEndedSession(of: key, cursor: cursor, at: now)
        guard let entry = entries[key], entry.share.isActive(at: now),
            let device = entry.share.device
        else { return nil }
        if let kind = DelayedView.Kind(entry.share) {
            return snapshot(entry.share, kind, cursor: cursor, at: now)
        }
        if let view = entry.view, entry.showing != nil { return view.snapshot }
        var view = ShareView(entry.share, cursor: cursor, at: now)
        if let shown = sessions.session(shownBy: entry.share, at: now), let views = views(shown),
            views.fields(hidingPlaces: entry.share.hidesPlaces).everything.isKnown
        {
            let everything = views.fields(hidingPlaces: entry.share.hidesPlaces).everything
            _ = view.take(everything, at: now)
            entries[key]?.showing = shown
            entries[key]?.newest = everything.cursor
        }
        if entry.view == nil {
            changeAudience(of: device) { $0.live.append(key) }
        }
        entries[key]?.view = view
        return view.snapshot
    }

    private func snapshot(
        _ share: Share, _ kind: DelayedView.Kind, cursor: LogCursor, at now: Timestamp
    ) -> FeedSnapshot? {
        guard let view = delayed[kind] else { return nil }
        if view.start(of: share.key) == nil {
            delayed[kind]?.start(share.key, at: cursor.offset, now: now)
            if let shown = sessions.session(shownBy: share, at: now), let views = views(shown) {
                // The session is shown later, after all that its viewers may have seen by then.
                let everything = everything(
                    of: views, hidingPlaces: kind.hidesPlaces, of: kind.device)
                if everything.isKnown { begin(share, kind, with: everything, cursor, at: now) }
            }
        }
        guard let snapshot = delayed[kind]?.snapshot(of: share.key, epoch: cursor.epoch, at: now)
        else { return nil }
        // The view keeps the last run until the next is shown, but a public share must not show it.
        guard kind.isPublic, snapshot.session != session(shownBy: share, at: now) else {
            return snapshot
        }
        let none = LogCursor(epoch: cursor.epoch, offset: RecordOffset(rawValue: 0))
        return .waiting(cursor: none, time: now)
    }

    /// Forgets what a share with a public name showed of a run that is over: a newcomer would see
    /// it while other viewers stay. Present viewers must reconnect.
    package func forgetEndedSession(of key: ShareKey, cursor: LogCursor, at now: Timestamp) {
        guard let entry = entries[key], entry.share.publicName != nil else { return }
        let shown = session(shownBy: entry.share, at: now)
        guard let kind = DelayedView.Kind(entry.share) else {
            if let showing = entry.showing, showing != shown { close(key, code: .goingAway) }
            return
        }
        // The same update is forgotten once: the view keeps it until the next run is shown.
        guard let told = delayed[kind]?.snapshot(of: key, epoch: cursor.epoch, at: now),
            told.session != nil, told.session != shown, told.cursor != entry.forgotten
        else { return }
        entries[key]?.forgotten = told.cursor
        sendEnd(of: key, .goingAway)
        // The view keeps the held updates of the next run.
        delayed[kind]?.watch(key, false)
        entries[key]?.clear()
    }

    private func begin(
        _ share: Share, _ kind: DelayedView.Kind, with everything: SessionUpdate,
        _ cursor: LogCursor, at now: Timestamp
    ) {
        guard delayed[kind]?.showing != everything.session else {
            delayed[kind]?.begin(share.key, cursor: everything.cursor, at: now)
            return
        }
        guard let oldest = delayed[kind]?.oldest(at: now),
            session(toShowOn: oldest, offered: everything.session, at: now)
        else { return }
        let held = heldMax(kind)
        delayed[kind]?.take(
            everything, beginning: [share], after: cursor.offset, arrival: now, at: now,
            holding: held)
    }

    /// The part of its missed history that a viewer may have now; the rest arrives with the feed.
    ///
    /// - Parameters:
    ///   - share: A device's share.
    ///   - snapshot: The viewer's first snapshot.
    ///   - cursor: The log's cursor.
    ///   - hides: Whether the owner hides something from the share.
    /// - Returns: The last record, and the time at which it may be shown; `nil`: now.
    package func missed(
        of share: Share, before snapshot: FeedSnapshot, cursor: LogCursor, hides: Bool
    ) -> (through: RecordOffset, due: Timestamp?) {
        guard share.delaySeconds > 0 else {
            // A possible finish is held back: it arrives with the feed, and only once.
            return (hides ? snapshot.cursor.offset : cursor.offset, nil)
        }
        guard snapshot.session == nil else { return (snapshot.cursor.offset, nil) }
        let view = DelayedView.Kind(share).flatMap { delayed[$0] }
        let startTime = view?.startTime(of: share.key) ?? snapshot.time
        let due = startTime.advanced(bySeconds: Double(share.delaySeconds))
        guard !hides else { return (snapshot.cursor.offset, due) }
        // A view that has shown nothing yet has no earlier record that was shown in time.
        let start = view?.start(of: share.key)
        return (start ?? cursor.offset, due)
    }

    /// Removes a viewer. Does nothing if the subscription was already ended by a close.
    package func leave(_ subscription: Subscription) {
        guard let entry = entries[subscription.key], entry.round == subscription.round,
            let count = entry.viewers[subscription.loop]
        else { return }
        entries[subscription.key]?.viewers[subscription.loop] = count > 1 ? count - 1 : nil
        dropUnwatched(subscription.key)
    }

    /// Drops a view without viewers, such as one made for a single snapshot.
    package func dropUnwatched(_ key: ShareKey) {
        guard let entry = entries[key], entry.viewers.isEmpty, let device = entry.share.device
        else { return }
        if let kind = DelayedView.Kind(entry.share) {
            delayed[kind]?.watch(key, false)
            return
        }
        changeAudience(of: device) { audience in audience.live.removeAll { $0 == key } }
        entries[key]?.view = nil
        entries[key]?.showing = nil
        entries[key]?.newest = nil
    }

    /// Sessions that delayed shares of the device show, watched or not.
    package func sessionsDelayed(of device: DeviceID, at now: Timestamp) -> Set<SessionID> {
        let shares = (audiences[device]?.delayed ?? []).compactMap { delayed[$0]?.oldest(at: now) }
        return Set(shares.compactMap { session(shownBy: $0, at: now) })
    }

    /// Sessions that watched shares of the device show.
    package func sessionsWatched(of device: DeviceID, at now: Timestamp) -> Set<SessionID> {
        let watched = directory.shares(of: device).filter {
            entries[$0.key]?.viewers.isEmpty == false
        }
        return Set(watched.compactMap { session(shownBy: $0, at: now) })
    }
}
