import FaultyDisk
import Replay
import Ring
import SegmentLog
import SensorModel
import Sessions
import Sharing

/// Viewers that join and leave, on the pipeline's side.
extension World {
    /// Connects a viewer, lets it act, or disconnects it.
    func meetViewer(_ index: Int) throws {
        hearLeaving()
        guard spectators[index].isConnected else { return try connect(viewer: index) }
        if random.happens(percent: 40), let viewer = viewer(index) {
            command(viewer)
        } else {
            leave(index)
        }
    }

    /// Handles connections that the loop has closed.
    func hearLeaving() {
        for viewer in life.leaving { unsubscribe(viewer) }
        life.leaving = []
    }

    func viewer(_ index: Int) -> Life.Viewer? {
        guard spectators[index].isConnected else { return nil }
        return spectators[index].viewer(index)
    }

    /// Removes the viewers of expired shares.
    func expireShares() {
        for share in shares where share.expiresAt.map({ $0 <= now }) ?? false {
            for index in spectators.indices
            where spectators[index].share.key == share.key && spectators[index].isConnected {
                say("the share of viewer \(index) is over")
                leave(index)
            }
            life.flow.hub.dropView(of: share.key)
        }
    }

    func leave(_ index: Int) {
        say("viewer \(index) goes")
        if let viewer = viewer(index) { unsubscribe(viewer) }
        disconnect(index)
    }

    /// Closes a connection on the loop.
    func disconnect(_ index: Int) {
        spectators[index].isConnected = false
        spectators[index].inbox = []
        drop(index)
    }

    func drop(_ index: Int) {
        guard let key = spectators[index].feed else { return }
        let loop = life.loops[life.loopIndex(of: spectators[index].viewer(index))]
        loop.watching[key]?.remove(index)
        if loop.watching[key]?.isEmpty == true {
            loop.watching[key] = nil
            loop.feeds.close(key)
        }
    }

    private func unsubscribe(_ viewer: Life.Viewer) {
        guard life.watchers[viewer] != nil else { return }
        leaveFeeds(viewer)
        life.watchers[viewer] = nil
        end { $0.audience == .viewer(viewer) }
    }

    func leaveFeeds(_ viewer: Life.Viewer) {
        guard let watcher = life.watchers[viewer] else { return }
        if let subscription = watcher.subscription { life.flow.hub.leave(subscription) }
        if let subscription = watcher.playbackSubscription { life.playbacks.leave(subscription) }
        life.watchers[viewer] = Life.Watcher(number: watcher.number + 1)
    }

    private func connect(viewer index: Int) throws {
        let share = spectators[index].share
        guard share.isActive(at: life.flow.now) else { return }
        spectators[index].isConnected = true
        spectators[index].connection += 1
        spectators[index].inbox = []
        let isFromPlayback = spectators[index].feed?.isLive == false
        spectators[index].feed = nil
        guard let viewer = viewer(index) else { return }
        life.watchers[viewer] = Life.Watcher()
        // A returning viewer has only its newest live cursor.
        let cursor = isFromPlayback || random.happens(percent: 20) ? nil : spectators[index].last
        if random.happens(percent: 15) {
            say("viewer \(index) comes to a recording")
            play(to: .viewer(viewer), share, from: life.flow.now)
        } else if let owned = life.players.values.first(where: { $0.audience == .share(share.key) })
        {
            switchOver(viewer, to: owned)
        } else if let cursor {
            say("viewer \(index) comes with \(cursor)")
            resume(viewer, after: cursor)
        } else {
            say("viewer \(index) comes with nothing")
            begin(viewer, .now)
        }
    }

    enum Beginning {
        case now
        case after(LogCursor)
        case gap
        case back
    }

    /// Sends the snapshot and puts the viewer into its feed.
    func begin(_ viewer: Life.Viewer, _ beginning: Beginning) {
        let share = spectators[viewer.index].share
        let flow = life.flow
        _ = flow.sessionShown(by: share)
        guard
            let (subscription, snapshot) = flow.hub.join(
                share.key, loop: life.loopIndex(of: viewer), cursor: flow.cursor, at: flow.now)
        else { return }
        life.watchers[viewer]?.subscription = subscription
        var start = Life.Start()
        switch beginning {
        case .now: break
        case .after(let cursor):
            start.resumedAt = cursor
            start.catchingUp = true
        case .gap:
            start.resumedAt = snapshot.cursor
            start.hasGap = true
        case .back: start.resumedAt = snapshot.cursor
        }
        push(.begin(viewer, FeedKey(share.key), snapshot, start), to: viewer)
    }

    func push(_ message: Life.Message, to viewer: Life.Viewer) {
        push(message, to: life.loops[life.loopIndex(of: viewer)])
    }

    private func push(_ message: Life.Message, to loop: Life.Loop) {
        if !loop.outbound.push(message) {
            life.complaints.sentences.append("the loop's ring is full")
        }
    }

    // MARK: Privacy settings

    func changePrivacy(of device: DeviceID) {
        say("privacy of \(device.rawValue) changed")
        let generation = (settings.1[device]?.generation ?? 0) + 1
        let privacy = Life.Privacy(settings: Track.settings(&random), generation: generation)
        settings.1[device] = privacy
        life.complaints.privacy = settings.1
        life.flow.privacyChanged(of: device)
        life.playbacks.forget(
            Set(life.flow.hub.directory.shares(of: device).map(\.key)))
        restartPlayers(of: device)
        for loop in life.loops { push(.settings(device, privacy), to: loop) }
    }
}
