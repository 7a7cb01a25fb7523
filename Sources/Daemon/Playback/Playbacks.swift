import SensorModel
import Sessions
import Sharing
import Synchronization
import Transport

/// What is played from recordings: by viewers for themselves, and by owners to a share's viewers.
final class Playbacks: Sendable {
    /// What an owner plays to a share.
    private struct Owned {
        var playback: SharePlayback
        /// `nil` while nobody watches.
        var run: PlaybackRun?
    }

    /// What a viewer plays for itself.
    private struct Viewed {
        let run: PlaybackRun
        let bytes: Int
    }

    private struct State {
        var byViewer: [SubscriberID: Viewed] = [:]
        var byShare: [ShareKey: Owned] = [:]
        var lastNumber: UInt64 = 0

        /// Takes a viewer's recording in the place of the one before, if there is room for it.
        mutating func take(_ viewed: Viewed, of subscriber: SubscriberID) -> Bool {
            byViewer[subscriber] = nil
            let others = byViewer.values.reduce(0) { $0 + $1.bytes }
            guard others + viewed.bytes <= byViewersBytesMax else { return false }
            byViewer[subscriber] = viewed
            return true
        }
    }

    /// What all recordings that viewers play for themselves may take of memory.
    static let byViewersBytesMax = 64 << 20
    /// Of one runner's: each reads ahead.
    static let bytesEach = 128 << 10
    /// … and holds back half an hour where a finish is trimmed.
    static let finishBytesEach = 640 << 10

    private let state = Mutex(State())
    private let reader: ShareReader
    private let accounts: Accounts

    private var mailbox: PipelineMailbox { reader.mailbox }
    private var clock: @Sendable () -> Timestamp { reader.clock }

    init(reader: ShareReader, accounts: Accounts) {
        self.reader = reader
        self.accounts = accounts
    }

    private func takeNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    // MARK: By viewers

    /// A viewer came with `at=`.
    func play(_ request: SubscriptionRequest, members: [Share], from time: Timestamp) {
        let range = PlaybackCommand.validSpeed
        let speed = min(max(request.speed, range.lowerBound), range.upperBound)
        // Past the bound it sees what is live.
        let run = run(
            for: request.subscriber, of: request.key, members: members,
            from: PlaybackRun.State(position: time, speed: speed))
        if let run { Task { await run.start() } }
    }

    /// - Returns: `false` when as many recordings are played as may be.
    func obey(
        _ commands: [PlaybackCommand], of subscriber: SubscriberID, watching key: ShareKey
    ) -> Bool {
        if commands == [.live] {
            stopAndReturn(subscriber)
            return true
        }
        let known = state.withLock { $0.byViewer[subscriber]?.run }
        guard let run = known ?? begin(subscriber, key) else { return false }
        Task { await run.obey(commands) }
        return true
    }

    /// A viewer of what is live, or of what the owner plays, looks elsewhere.
    private func begin(_ subscriber: SubscriberID, _ key: ShareKey) -> PlaybackRun? {
        let now = clock()
        let members = accounts.withState { state in
            state.shares[key].map { state.shares.feeds(of: $0, at: now) } ?? []
        }
        let owners = playback(on: key, at: now)
        let position = owners?.position(at: now) ?? now
        return run(
            for: subscriber, of: key, members: members,
            from: PlaybackRun.State(position: position, speed: owners?.speed ?? 1),
            recording: owners)
    }

    private func run(
        for subscriber: SubscriberID, of key: ShareKey, members: [Share],
        from start: PlaybackRun.State, recording: SharePlayback? = nil
    ) -> PlaybackRun? {
        let plan = PlaybackRun.Plan(
            number: takeNumber(), members: members, party: .share(key), reader: .viewer(subscriber),
            recording: recording, audience: .viewer(subscriber))
        let run = PlaybackRun(
            plan, from: start, reader: reader,
            isWanted: { [weak self] in
                guard let recording else { return true }
                return self?.isOn(recording, of: key) ?? false
            },
            ended: { [weak self] ending in
                guard let self else { return }
                if ending == .over { stopAndReturn(subscriber) } else { stop(subscriber) }
            })
        let bytes = members.reduce(0) { $0 + self.bytes(of: $1) }
        let (isTaken, before) = state.withLock { state in
            let before = state.byViewer[subscriber]
            return (state.take(Viewed(run: run, bytes: bytes), of: subscriber), before)
        }
        if let before { end(before.run) }
        return isTaken ? run : nil
    }

    private func bytes(of member: Share) -> Int {
        guard member.obeysPrivacy, let device = member.device,
            accounts.privacy(of: device).trimFinishMeters > 0
        else { return Self.bytesEach }
        return Self.finishBytesEach
    }

    /// The viewer is gone.
    func stop(_ subscriber: SubscriberID) {
        guard let viewed = state.withLock({ $0.byViewer.removeValue(forKey: subscriber) }) else {
            return
        }
        end(viewed.run)
    }

    private func stopAndReturn(_ subscriber: SubscriberID) {
        stop(subscriber)
        mailbox.post { $0.returnToLive(subscriber) }
    }

    private func end(_ run: PlaybackRun) {
        Task { await run.stop() }
        mailbox.post { $0.end(run.plan) }
    }

    // MARK: By owners

    /// The owner plays a session to a share: whoever watches it switches to it.
    ///
    /// - Returns: How many watch.
    func begin(_ playback: SharePlayback, on share: Share) async -> Int {
        end(on: share.key)
        let own = state.withLock { state in
            state.byShare[share.key] = Owned(playback: playback)
            let own = state.byViewer.filter { $0.value.run.plan.party == .share(share.key) }
            for subscriber in own.keys { state.byViewer[subscriber] = nil }
            return Array(own.values)
        }
        for viewed in own { end(viewed.run) }
        let watching = await mailbox.ask { $0.watchers.watching(share.key).count } ?? 0
        if watching > 0 { resume(on: share) }
        return watching
    }

    /// Somebody came to the share: what is played to it goes on, if nobody watched.
    func resume(on share: Share) {
        let now = clock()
        guard let playback = playback(on: share.key, at: now),
            let position = playback.position(at: now)
        else { return }
        let plan = PlaybackRun.Plan(
            number: takeNumber(), members: [share], party: .share(share.key), reader: .owner,
            recording: playback, audience: .share(share.key))
        let run = PlaybackRun(
            plan, from: PlaybackRun.State(position: position, speed: playback.speed),
            reader: reader,
            isWanted: { [weak self] in self?.isOn(playback, of: share.key) ?? false },
            ended: { [weak self] ending in self?.ended(ending, plan, of: playback) })
        let isFirst = state.withLock { state in
            guard state.byShare[share.key]?.playback.startedAt == playback.startedAt,
                state.byShare[share.key]?.run == nil
            else { return false }
            state.byShare[share.key]?.run = run
            return true
        }
        if isFirst { Task { await run.start() } }
    }

    private func ended(
        _ ending: PlaybackRun.Ending, _ plan: PlaybackRun.Plan, of playback: SharePlayback
    ) {
        guard case .share(let key) = plan.audience else { return }
        switch ending {
        case .over: end(on: key)
        case .unwatched:
            // The lease goes on: who comes to it finds it where it is by then.
            let run = state.withLock { state -> PlaybackRun? in
                guard state.byShare[key]?.run?.plan.number == plan.number else { return nil }
                defer { state.byShare[key]?.run = nil }
                return state.byShare[key]?.run
            }
            if let run { end(run) }
        }
    }

    /// What is played to the share; `nil` when nothing is, or no more.
    func playback(on key: ShareKey, at now: Timestamp) -> SharePlayback? {
        let found = state.withLock { $0.byShare[key]?.playback }
        guard let found, found.position(at: now) == nil else { return found }
        end(on: key)
        return nil
    }

    /// Lets a playback go on for another lease.
    ///
    /// - Returns: The playback; `nil` when it is over.
    func renew(on key: ShareKey, at now: Timestamp) -> SharePlayback? {
        guard playback(on: key, at: now) != nil else { return nil }
        return state.withLock { state in
            state.byShare[key]?.playback.leaseEnd = now.advanced(
                bySeconds: SharePlayback.leaseSeconds)
            return state.byShare[key]?.playback
        }
    }

    /// Ends what is played to a share; its viewers see again what is live.
    func end(on key: ShareKey) {
        let run = state.withLock { $0.byShare.removeValue(forKey: key)?.run }
        if let run { end(run) }
    }

    private func isOn(_ playback: SharePlayback, of key: ShareKey) -> Bool {
        let now = clock()
        return state.withLock { state in
            guard let current = state.byShare[key]?.playback else { return false }
            return current.startedAt == playback.startedAt && current.leaseEnd > now
        }
    }

    // MARK: Changes of the owner's

    /// What may be shown of a device changed: what is played of it is read again by the new settings.
    func restart(_ shares: Set<ShareKey>) {
        let runs = state.withLock { state in
            (state.byViewer.values.map(\.run) + state.byShare.values.compactMap(\.run)).filter {
                run in
                run.plan.members.contains { shares.contains($0.key) }
            }
        }
        for run in runs { Task { await run.start() } }
    }
}
