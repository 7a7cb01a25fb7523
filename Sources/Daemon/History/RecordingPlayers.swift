import Logging
import SegmentLog
import SensorModel
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
        var task: Task<Void, Never>?
    }

    private let seats = Mutex<[SubscriberID: Seat]>([:])
    private let log: SegmentLog
    private let accounts: Accounts
    private let mailbox: PipelineMailbox
    private let background: BackgroundWork
    private let logger: Logger

    init(
        log: SegmentLog, accounts: Accounts, mailbox: PipelineMailbox, background: BackgroundWork,
        logger: Logger
    ) {
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

    func obey(_ wish: ViewerWish, of subscriber: SubscriberID, watching key: ShareKey) {
        if wish == .live {
            guard stop(subscriber) else { return }
            let inGroup = accounts.share(key)?.device == nil
            mailbox.post { $0.returnToFeeds(subscriber, inGroup: inGroup) }
            return
        }
        let members = accounts.withState { state in
            state.shares[key].map { state.shares.feeds(of: $0, at: WallClock.now()) } ?? []
        }
        let now = WallClock.now()
        seats.withLock { seats in
            var seat = seats[subscriber] ?? Seat(members: members, speed: 1, position: now)
            switch wish {
            case .seek(let time): seat.position = time
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
        await withTaskGroup(of: Void.self) { group in
            for share in seat.members {
                group.addTask { await self.run(share, in: seat, for: subscriber) }
            }
        }
    }

    private func run(_ share: Share, in seat: Seat, for subscriber: SubscriberID) async {
        guard
            let session = await mailbox.ask({ core in
                core.board.session(shownBy: share, at: core.now)
            }) ?? nil
        else { return }
        let player = RecordingPlayer(
            log: log, share: share, session: session,
            privacy: share.device.map { accounts.privacy(of: $0) } ?? .none,
            runnerName: seat.members.count > 1 ? share.runnerName : nil)
        do {
            try await show(player, from: seat.position, seat: seat, to: subscriber)
        } catch is CancellationError {
            // The viewer sought elsewhere or left.
        } catch {
            logger.error("a recording cannot be shown: \(error)")
        }
    }

    private func show(
        _ player: RecordingPlayer, from time: Timestamp, seat: Seat, to subscriber: SubscriberID
    ) async throws {
        let found = await background.run { Result { try player.snapshot(at: time) } }
        guard let snapshot = try found.get() else { return }
        try Task.checkCancellation()
        send([snapshot.event], to: subscriber)
        guard !seat.isPaused else { return }
        var offset = snapshot.offset
        var shown = time
        var view = player.view
        while true {
            let items = try await background.run { [view, offset] in
                var view = view
                return Result { try (player.items(after: offset, from: &view), view) }
            }.get()
            view = items.1
            guard let last = items.0.last else {
                try await Task.sleep(for: .seconds(1))  // the end, or a live session's newest
                continue
            }
            for item in items.0 {
                let wait = item.deviceTime.seconds(since: shown) / seat.speed
                if wait > 0 { try await Task.sleep(for: .seconds(min(wait, 3600))) }
                shown = max(shown, item.deviceTime)
                try Task.checkCancellation()
                let position = shown
                seats.withLock { $0[subscriber]?.position = position }
                send([item.event], to: subscriber)
            }
            offset = last.offset
        }
    }

    private func send(_ events: [EncodedEvent], to subscriber: SubscriberID) {
        mailbox.post { $0.send(.catchUp(subscriber, events), to: subscriber) }
    }
}
