import SegmentLog
package import SensorModel
package import Sharing

/// Distribution of updates: from sessions to messages for loops.
extension ShareHub {
    /// Passes a record's updates to every view of the device that shows the session.
    ///
    /// - Parameters:
    ///   - updates: Updates from the session's views.
    ///   - device: The session's device.
    ///   - arrival: Arrival of the record.
    package func publish(
        _ updates: SessionUpdates, of device: DeviceID, at arrival: Timestamp
    ) {
        defer {
            newest.note(
                updates.everything.cursor.offset, of: updates.everything.session, by: device)
        }
        if let newest = updates.hiding?.last {
            noteShown(newest.update, of: device, at: arrival)
        }
        let everything = SessionUpdates.Dated(update: updates.everything, arrival: arrival)
        give(to: device, at: arrival) { hidesPlaces in
            if let hiding = updates.hiding, hidesPlaces {
                hiding
            } else {
                [everything]
            }
        }
    }

    /// Publishes a change caused by the passage of time to shares from which something is hidden.
    package func publish(
        _ dated: SessionUpdates.Dated, of device: DeviceID, at now: Timestamp
    ) {
        noteShown(dated.update, of: device, at: now)
        give(to: device, at: now) { hidesPlaces in hidesPlaces ? [dated] : [] }
    }

    /// Notes that shares with positions show something of a session.
    private func noteShown(_ update: SessionUpdate, of device: DeviceID, at now: Timestamp) {
        sessions.cameIntoView(update.session, of: device, at: now)
        sessions.shownAgain(
            update.session, of: device, through: update.cursor.offset, at: now)
    }

    private func give(
        to device: DeviceID, at now: Timestamp, _ updates: (Bool) -> [SessionUpdates.Dated]
    ) {
        guard let audience = audiences[device] else { return }
        for kind in audience.delayed {
            for dated in updates(kind.hidesPlaces) { give(dated, to: kind, at: now) }
        }
        for key in audience.live {
            guard let share = entries[key]?.share else { continue }
            for dated in updates(share.hidesPlaces) { give(dated, to: share, at: now) }
        }
    }

    private func give(_ dated: SessionUpdates.Dated, to share: Share, at now: Timestamp) {
        guard let entry = entries[share.key], share.isActive(at: now),
            session(toShowOn: share, offered: dated.update.session, at: now)
        else { return }
        let dated = dated.seen(in: share.scope)
        var given = dated.update
        let isShowing = entry.showing == given.session
        if let newest = entry.newest, given.cursor <= newest, !(given.begins && isShowing) {
            return
        }
        if !isShowing {
            given = beginning(with: dated, hidingPlaces: share.hidesPlaces)
            entries[share.key]?.showing = given.session
        }
        entries[share.key]?.newest = given.cursor
        if var feed = entries[share.key]?.view?.take(given, at: dated.arrival) {
            feed.arrival = dated.arrival == now ? now : nil
            broadcast(feed, of: share.key)
        }
    }

    private func give(_ dated: SessionUpdates.Dated, to kind: DelayedView.Kind, at now: Timestamp) {
        removeExpired(from: kind, at: now)
        let dated = dated.seen(in: kind.scope)
        let update = dated.update
        guard let view = delayed[kind], let oldest = view.oldest(at: now),
            session(toShowOn: oldest, offered: update.session, at: now), view.accepts(update)
        else { return }
        let beginning = view.newcomers.filter {
            session(toShowOn: $0, offered: update.session, at: now)
        }
        let given =
            view.showing == update.session
            ? update : self.beginning(with: dated, hidingPlaces: kind.hidesPlaces)
        // The beginning may contain an event of this record that is still to be shown.
        let before = RecordOffset(rawValue: max(1, update.cursor.offset.rawValue) - 1)
        let held = heldMax(kind)
        delayed[kind]?.take(
            given, beginning: beginning,
            after: update.event.isEmpty ? update.cursor.offset : before, arrival: dated.arrival,
            at: now, holding: held)
    }

    /// Removes expired shares, so that they hold nothing back and use no part of the others' limit.
    private func removeExpired(from kind: DelayedView.Kind, at now: Timestamp) {
        for share in delayed[kind]?.newcomers ?? [] where !share.isActive(at: now) {
            dropDelayed(share.key)
        }
    }

    /// Returns the update, or all that its session shows including the update.
    private func beginning(
        with dated: SessionUpdates.Dated, hidingPlaces: Bool
    ) -> SessionUpdate {
        let update = dated.update
        guard !update.begins, let views = views(update.session) else { return update }
        var given = dated.everything ?? views.fields(hidingPlaces: hidingPlaces).everything
        given.event = update.event
        given.cursor = max(given.cursor, update.cursor)
        return given
    }

    /// Maximum number of updates in a queue. The queues of a device share the limit of one queue,
    /// and all queues share ``HeldUpdates/allMax``.
    func heldMax(_ kind: DelayedView.Kind) -> Int {
        let ofDevice = audiences[kind.device]?.delayed.count ?? 1
        let ofAll = HeldUpdates.allMax / max(1, delayed.count)
        return max(HeldUpdates.countMin, min(HeldUpdates.countMax / max(1, ofDevice), ofAll))
    }

    /// Number of held updates, for tests.
    package func heldCount(of key: ShareKey) -> Int {
        guard let kind = directory[key].flatMap({ DelayedView.Kind($0) }),
            delayed[kind]?.contains(key) == true
        else { return 0 }
        return delayed[kind]?.heldCount ?? 0
    }

    func session(
        toShowOn share: Share, offered session: SessionID, at arrival: Timestamp
    ) -> Bool {
        // A delayed view must take updates that it will show later.
        var undelayed = share
        undelayed.delaySeconds = 0
        return sessions.session(shownBy: undelayed, at: arrival) == session
    }

    func broadcast(_ feed: FeedUpdate, of key: ShareKey) {
        for loop in entries[key]?.viewers.keys ?? [:].keys { send(loop, key, .update(feed)) }
    }

    /// Restarts the views of a session whose fields were read from the log. They begin at the
    /// device's newest record, since viewers' cursors may be beyond the session's own records.
    package func refresh(_ session: SessionID, of device: DeviceID, at now: Timestamp) {
        guard let views = views(session) else { return }
        give(to: device, at: now) { hidesPlaces in
            let everything = everything(of: views, hidingPlaces: hidesPlaces, of: device)
            guard everything.isKnown else { return [] }
            return [SessionUpdates.Dated(update: everything, arrival: now)]
        }
    }

    /// All that a session shows. If nothing is hidden, it has the cursor of the device's newest
    /// record, since viewers' cursors may be beyond the session's own records.
    func everything(
        of views: SessionViews, hidingPlaces: Bool, of device: DeviceID
    ) -> SessionUpdate {
        var everything = views.fields(hidingPlaces: hidingPlaces).everything
        if !views.hides(hidingPlaces: hidingPlaces) {
            everything.cursor = max(
                everything.cursor, newest.cursor(of: device, like: everything.cursor))
        }
        return everything
    }
}
