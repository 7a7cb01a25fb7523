import Logging
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Synchronization
import Transport

/// The viewers who watch a recording instead of what is live: each has a task that paces it.
final class RecordingPlayers: Sendable {
    private struct Seat {
        var members: [Share]
        var speed: Double
        /// Device time of what was shown last.
        var position: Timestamp
        var isPaused = false
        /// What the owner plays to the share; `nil`: the viewer's own wish.
        var playback: SharePlayback?
        var task: Task<Void, Never>?
    }

    private let seats = Mutex<[SubscriberID: Seat]>([:])
    private let playbacks = Mutex<[ShareKey: SharePlayback]>([:])
    private let log: SegmentLog
    private let accounts: Accounts
    private let mailbox: PipelineMailbox
    private let background: BackgroundWork
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger

    init(
        log: SegmentLog, accounts: Accounts, mailbox: PipelineMailbox, background: BackgroundWork,
        clock: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        self.clock = clock
        self.log = log
        self.accounts = accounts
        self.mailbox = mailbox
        self.background = background
        self.logger = logger
    }

    /// A viewer came with `at=`.
    func play(_ request: SubscriptionRequest, members: [Share], from time: Timestamp) {
        let speed = min(
            max(request.speed, ViewerWish.validSpeed.lowerBound), ViewerWish.validSpeed.upperBound)
        seats.withLock {
            $0[request.subscriber] = Seat(members: members, speed: speed, position: time)
        }
        start(request.subscriber)
    }

    /// The owner plays a session to a share: whoever watches it is taken along.
    ///
    /// - Returns: How many watch.
    func begin(_ playback: SharePlayback, on share: Share) async -> Int {
        end(on: share.key)
        playbacks.withLock { $0[share.key] = playback }
        let watching = await mailbox.ask { $0.watchers.watching(share.key) } ?? []
        for subscriber in watching { take(subscriber, along: playback, of: share) }
        return watching.count
    }

    /// A viewer came while a session is played to its share.
    func welcome(_ subscriber: SubscriberID, to share: Share, at now: Timestamp) {
        guard let playback = playback(on: share.key, at: now) else { return }
        take(subscriber, along: playback, of: share)
    }

    /// What is played to the share; `nil` when nothing is, or no more.
    func playback(on key: ShareKey, at now: Timestamp) -> SharePlayback? {
        playbacks.withLock { playbacks in
            guard let playback = playbacks[key] else { return nil }
            if playback.position(at: now) == nil { playbacks[key] = nil }
            return playbacks[key]
        }
    }

    /// Lets a playback go on for another lease.
    ///
    /// - Returns: The playback; `nil` when it is over.
    func renew(on key: ShareKey, at now: Timestamp) -> SharePlayback? {
        guard playback(on: key, at: now) != nil else { return nil }
        return playbacks.withLock { playbacks in
            playbacks[key]?.leaseEnd = now.advanced(bySeconds: SharePlayback.leaseSeconds)
            return playbacks[key]
        }
    }

    /// Ends what is played to a share; its viewers see again what is live.
    func end(on key: ShareKey) {
        guard let playback = playbacks.withLock({ $0.removeValue(forKey: key) }) else { return }
        let taken = seats.withLock { seats in
            seats.filter { $0.value.playback?.startedAt == playback.startedAt }.map(\.key)
        }
        for subscriber in taken { returnToLive(subscriber) }
    }

    private func take(_ subscriber: SubscriberID, along playback: SharePlayback, of share: Share) {
        guard let position = playback.position(at: clock()) else { return }
        seats.withLock {
            $0[subscriber]?.task?.cancel()
            $0[subscriber] = Seat(
                members: [share], speed: playback.speed, position: position, playback: playback)
        }
        start(subscriber)
    }

    private func returnToLive(_ subscriber: SubscriberID) {
        guard stop(subscriber) else { return }
        mailbox.post { $0.returnToFeeds(subscriber) }
    }

    func obey(_ wish: ViewerWish, of subscriber: SubscriberID, watching key: ShareKey) {
        if wish == .live { return returnToLive(subscriber) }
        let now = clock()
        let members = accounts.withState { state in
            state.shares[key].map { state.shares.feeds(of: $0, at: now) } ?? []
        }
        seats.withLock { seats in
            var seat = seats[subscriber] ?? Seat(members: members, speed: 1, position: now)
            switch wish {
            case .seek(let time):
                // The owner chose what of the session is played.
                let range = seat.playback?.times ?? time...time
                seat.position = min(max(time, range.lowerBound), range.upperBound)
            case .pause(let paused): seat.isPaused = paused
            case .speed(let speed): seat.speed = speed
            case .live: break
            }
            seats[subscriber] = seat
        }
        start(subscriber)
    }

    /// - Returns: Whether the viewer watched a recording.
    @discardableResult
    func stop(_ subscriber: SubscriberID) -> Bool {
        let seat = seats.withLock { $0.removeValue(forKey: subscriber) }
        seat?.task?.cancel()
        return seat != nil
    }

    /// Begins anew from the seat's position; what ran before is cancelled.
    private func start(_ subscriber: SubscriberID) {
        mailbox.post { $0.leaveFeeds(subscriber) }
        seats.withLock { seats in
            guard let seat = seats[subscriber] else { return }
            seat.task?.cancel()
            seats[subscriber]?.task = Task { await run(seat, for: subscriber) }
        }
    }

    private func run(_ seat: Seat, for subscriber: SubscriberID) async {
        let hasShown = await withTaskGroup(of: Bool.self) { group in
            for share in seat.members {
                group.addTask { await self.run(share, in: seat, for: subscriber) }
            }
            return await group.reduce(false) { $0 || $1 }
        }
        guard !hasShown, !Task.isCancelled else { return }
        // There is no recording yet: what is live is shown, which says so.
        returnToLive(subscriber)
    }

    /// - Returns: Whether there was anything to show.
    private func run(_ share: Share, in seat: Seat, for subscriber: SubscriberID) async -> Bool {
        var session = seat.playback?.session
        if session == nil {
            session = await mailbox.ask { $0.board.session(shownBy: share, at: $0.now) } ?? nil
        }
        guard let session else { return false }
        if let playback = seat.playback, !isOn(playback, of: share.key) {
            returnToLive(subscriber)
            return true
        }
        let player = RecordingPlayer(
            log: log, share: share, session: session,
            privacy: log.summary(of: session).map { accounts.privacy(of: $0.device) } ?? .none,
            runnerName: seat.members.count > 1 ? share.runnerName : nil)
        do {
            var from = seat.position
            while true {
                switch try await show(player, from: from, seat: seat, to: subscriber) {
                case .nothing: return false
                case .ended:
                    if let playback = seat.playback, isOn(playback, of: share.key) {
                        from = playback.times.lowerBound
                        continue
                    }
                case .over: break
                }
                returnToLive(subscriber)
                return true
            }
        } catch is CancellationError {
            return true  // The viewer sought elsewhere or left.
        } catch {
            logger.error("a recording cannot be shown: \(error)")
            return false
        }
    }

    /// Why a show stopped.
    private enum Stop {
        /// The last moment that was to be played has been; to be played again in a loop.
        case ended
        /// Once was enough.
        case over
        /// There is no recording to show.
        case nothing
    }

    private func show(
        _ player: RecordingPlayer, from time: Timestamp, seat: Seat, to subscriber: SubscriberID
    ) async throws -> Stop {
        let found = await background.run { [clock] in
            Result { try player.snapshot(at: time, now: clock()) }
        }
        guard let snapshot = try found.get() else { return .nothing }
        try Task.checkCancellation()
        send([snapshot.event], to: subscriber)
        guard !seat.isPaused else { throw CancellationError() }
        var offset = snapshot.offset
        let origin = ContinuousClock.now
        var view = player.view
        while true {
            let items = try await background.run { [view, offset, clock] in
                var view = view
                let now = clock()
                return Result { try (player.items(after: offset, from: &view, now: now), view) }
            }.get()
            view = items.1
            guard let last = items.0.last else {
                if let playback = seat.playback { return playback.loops ? .ended : .over }
                try await Task.sleep(for: .seconds(1))  // the end, or a live session's newest
                continue
            }
            for item in items.0 {
                if let playback = seat.playback, item.deviceTime > playback.times.upperBound {
                    return playback.loops ? .ended : .over
                }
                let due = item.deviceTime.seconds(since: time) / seat.speed
                guard try await wait(until: origin + .seconds(due), of: seat, player.share.key)
                else { return .over }
                seats.withLock { $0[subscriber]?.position = max(time, item.deviceTime) }
                send([item.event], to: subscriber)
            }
            offset = last.offset
        }
    }

    /// - Returns: `false` when the playback it waits for was ended meanwhile.
    private func wait(
        until due: ContinuousClock.Instant, of seat: Seat, _ key: ShareKey
    ) async throws -> Bool {
        while due > .now {
            try await Task.sleep(until: min(due, .now + .seconds(1)))
            if let playback = seat.playback, !isOn(playback, of: key) { return false }
        }
        try Task.checkCancellation()
        return true
    }

    private func isOn(_ playback: SharePlayback, of key: ShareKey) -> Bool {
        playbacks.withLock {
            guard let current = $0[key] else { return false }
            return current.startedAt == playback.startedAt && current.leaseEnd > clock()
        }
    }

    private func send(_ events: [EncodedEvent], to subscriber: SubscriberID) {
        mailbox.post { $0.send(.catchUp(subscriber, events), to: subscriber) }
    }
}
