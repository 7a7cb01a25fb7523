import FaultyDisk
import Replay
import SegmentLog
import SensorModel
import Sessions
import Sharing

/// Playbacks by viewers and owners: production source, hub and feeds, paced by the steady clock.
extension World {
    /// Sends a random command of the viewer.
    func command(_ viewer: Life.Viewer) {
        let share = spectators[viewer.index].share
        let own = life.players.values.first { $0.audience == .viewer(viewer) }
        guard let own else {
            let back = Double(random.below(40))
            say("viewer \(viewer.index) goes back \(back) s")
            return play(
                to: .viewer(viewer), share, from: life.flow.now.advanced(bySeconds: -back))
        }
        switch random.below(4) {
        case 0:
            say("viewer \(viewer.index) returns")
            end { $0.number == own.number }
        case 1:
            life.players[own.number]?.isPaused.toggle()
            life.players[own.number]?.isToStart = true
        default:
            let seconds = Double(random.below(60) - 40)
            say("viewer \(viewer.index) seeks by \(seconds) s")
            life.players[own.number]?.position = own.position.advanced(bySeconds: seconds)
            life.players[own.number]?.isToStart = true
        }
    }

    /// Starts or ends an owner's playback to a share.
    func commandOwner() {
        let share = shares[random.below(shares.count)]
        let owned = life.players.values.contains { $0.audience == .share(share.key) }
        end { $0.share.key == share.key && (owned ? $0.audience == .share(share.key) : true) }
        let recordings = life.log.sessions().filter { $0.device == share.device }
        guard !owned, share.isActive(at: life.flow.now), !recordings.isEmpty else { return }
        let recording = recordings[random.below(recordings.count)]
        guard let times = recording.deviceTimes else { return }
        say("the owner plays \(recording.session) on \(share.key.rawValue)")
        play(to: .share(share.key), share, from: times.lowerBound, recording.session)
    }

    func play(
        to audience: Player.Audience, _ share: Share, from position: Timestamp,
        _ session: SessionID? = nil
    ) {
        end { $0.audience == audience }
        playbackNumber += 1
        life.players[playbackNumber] = Player(
            number: playbackNumber, share: share, audience: audience, session: session,
            position: position, speed: [1, 1, 4, 20][random.below(4)])
    }

    func end(_ isOver: (Player) -> Bool) {
        for number in life.players.keys.sorted() {
            guard let player = life.players[number], isOver(player) else { continue }
            life.players[number] = nil
            life.playbacks.end(player.key)
            for viewer in watchers(where: { $0.playback == number }) {
                leaveFeeds(viewer)
                begin(viewer, .back)
            }
        }
    }

    /// Restarts the playbacks of a device after a change of what its recordings show.
    func restartPlayers(of device: DeviceID) {
        for number in life.players.keys where life.players[number]?.share.device == device {
            life.players[number]?.isToStart = true
        }
    }

    private func watchers(where isMeant: (Life.Watcher) -> Bool) -> [Life.Viewer] {
        life.watchers.filter { isMeant($0.value) }.map(\.key)
            .sorted { ($0.index, $0.connection) < ($1.index, $1.connection) }
    }

    func switchOver(_ viewer: Life.Viewer, to player: Player) {
        guard let watcher = life.watchers[viewer], watcher.playback != player.number else {
            return
        }
        leaveFeeds(viewer)
        life.watchers[viewer]?.playback = player.number
        guard
            let (subscription, snapshot) = life.playbacks.join(
                player.key, loop: life.loopIndex(of: viewer))
        else { return }
        life.watchers[viewer]?.playbackSubscription = subscription
        push(
            .begin(viewer, player.key, snapshot, Life.Start(resumedAt: snapshot.cursor)),
            to: viewer)
    }

    // MARK: Playing

    func playOn() {
        for number in life.players.keys.sorted() where random.happens(percent: 60) {
            guard var player = life.players[number] else { continue }
            let hasFault = breakReads()
            defer { mendReads() }
            do {
                if player.isToStart {
                    guard try start(&player) else {
                        end { $0.number == number }
                        continue
                    }
                } else if !player.isPaused {
                    try play(&player)
                }
                life.players[number] = player
            } catch {
                if !hasFault { life.complaints.sentences.append("a recording: \(error)") }
                end { $0.number == number }
            }
        }
    }

    /// - Returns: `false`: there is nothing to show.
    private func start(_ player: inout Player) throws -> Bool {
        player.isToStart = false
        let share = player.share
        let session = player.session ?? life.flow.hub.session(shownBy: share, at: life.flow.now)
        let rule = ProjectionRule(share, privacy: privacy(of: share).settings)
        guard let session, !life.erasing.contains(session),
            let records = try records(of: session, by: rule)
        else { return false }
        guard let everything = try begin(&player, records) else { return false }
        say("playback \(player.number) begins at \(player.position.secondsSince1970)")
        life.playbacks.begin(player.key, of: share, with: everything)
        switch player.audience {
        case .viewer(let viewer): switchOver(viewer, to: player)
        case .share:
            for viewer in watchers(where: { _ in true })
            where spectators[viewer.index].share.key == share.key { switchOver(viewer, to: player) }
        }
        return true
    }

    private func begin(
        _ player: inout Player, _ records: ShownRecords
    ) throws -> SessionUpdate? {
        let begun = try RecordingSource.begin(
            records, in: player.share.scope, at: player.position,
            arrivedBy: player.share.shownArrivals(at: now), now: now)
        player.source = begun.map { $0.source }
        player.ahead = []
        player.origin = (player.position, steady)
        return begun.map { $0.everything }
    }

    private func play(_ player: inout Player) throws {
        guard let origin = player.origin else { return }
        let passed = Double(steady - origin.steady) / 1e6 * player.speed
        let shown = origin.position.advanced(bySeconds: passed)
        if player.ahead.isEmpty, var source = player.source {
            let ahead = try source.next(
                1 + random.below(16), arrivedBy: player.share.shownArrivals(at: now), now: now)
            player.source = source
            player.ahead = ahead[...]
        }
        let due = player.ahead.prefix { $0.deviceTime <= shown }
        guard let last = due.last else { return }
        player.ahead.removeFirst(due.count)
        player.position = max(player.position, last.deviceTime)
        life.playbacks.publish(due.map(\.update), on: player.key)
    }
}
