package import SensorModel
import Sessions
import Sharing
import Synchronization
package import Transport

/// Playbacks of recordings: by viewers for themselves, and by owners to a share's viewers.
package final class Playbacks: Sendable {
    /// An owner's playback to a share.
    private struct Owned {
        var playback: SharePlayback
        /// `nil` while there are no viewers.
        var run: PlaybackRun?
    }

    private struct State {
        /// Viewers' own playbacks.
        var byViewer: [SubscriberID: PlaybackRun] = [:]
        var byShare: [ShareKey: Owned] = [:]
        var budget = PlaybackBudget()
        var lastNumber: UInt64 = 0
        var pace = PlaybackPace()

        mutating func remove(_ viewer: SubscriberID) -> PlaybackRun? {
            budget.release(viewer)
            return byViewer.removeValue(forKey: viewer)
        }
    }

    /// Memory per runner of a playback, for updates read ahead.
    package static let bytesEach = 128 << 10
    /// Memory per runner with a trimmed finish, which holds back half an hour.
    static let finishBytesEach = 640 << 10

    private let state = Mutex(State())
    private let reader: ShareReader
    private let accounts: Accounts

    private var mailbox: PipelineMailbox { reader.mailbox }
    private var clock: @Sendable () -> Timestamp { reader.clock }

    package init(reader: ShareReader, accounts: Accounts) {
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

    /// Starts a playback for a viewer that connected with `at=`.
    package func play(_ request: SubscriptionRequest, members: [Share], from time: Timestamp) {
        let range = PlaybackCommand.validSpeed
        let speed = min(max(request.speed, range.lowerBound), range.upperBound)
        // Beyond the limit the viewer gets the live stream.
        let run =
            mayBegin(request.subscriber, request.key)
            ? run(
                for: request.subscriber, of: request.key, members: members,
                from: PlaybackRun.State(position: time, speed: speed))
            : nil
        guard let run else {
            // Its subscription was posted before.
            mailbox.post { $0.returnToLive(request.subscriber) }
            return
        }
        Task { await run.start() }
    }

    /// Counts a message of a viewer, see ``PlaybackPace``.
    ///
    /// - Returns: `false`: too many; the message has no effect.
    package func admitsCommand(by link: ShareKey) -> Bool {
        let party = party(of: link)
        return state.withLock { $0.pace.admitsCommand(by: party, at: clock()) }
    }

    private func mayBegin(_ viewer: SubscriberID, _ link: ShareKey) -> Bool {
        let party = party(of: link)
        return state.withLock { $0.pace.mayBegin(viewer, by: party, at: clock()) }
    }

    /// All links of a device count together.
    private func party(of link: ShareKey) -> LinkParty {
        LinkParty(link, of: accounts.withState { $0.shares[link]?.device })
    }

    /// - Returns: `false` when there are too many playbacks, or they begin too fast.
    package func obey(
        _ commands: [PlaybackCommand], of subscriber: SubscriberID, watching key: ShareKey
    ) -> Bool {
        if commands == [.live] {
            stopAndReturn(subscriber)
            return true
        }
        let known = state.withLock { $0.byViewer[subscriber] }
        guard let run = known ?? begin(subscriber, key) else { return false }
        Task { await run.obey(commands) }
        return true
    }

    /// Starts a playback for a viewer of the live stream or of an owner's playback.
    private func begin(_ subscriber: SubscriberID, _ key: ShareKey) -> PlaybackRun? {
        let now = clock()
        guard mayBegin(subscriber, key) else { return nil }
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
        let (gone, before) = state.withLock { state in
            let before = state.remove(subscriber)
            let gone = state.budget.take(bytes, for: subscriber, of: key)
            if gone != nil { state.byViewer[subscriber] = run }
            return (gone.map { $0.map { ($0, state.remove($0)) } }, before)
        }
        if let before { end(before) }
        guard let gone else { return nil }
        for case (let viewer, let run?) in gone {
            end(run)
            mailbox.post { $0.returnToLive(viewer) }
        }
        return run
    }

    private func bytes(of member: Share) -> Int {
        guard member.hidesPlaces, let device = member.device,
            accounts.privacy(of: device).trimFinishMeters > 0
        else { return Self.bytesEach }
        return Self.finishBytesEach
    }

    /// Ends the playback of a viewer that left.
    package func stop(_ subscriber: SubscriberID) {
        if let run = state.withLock({ $0.remove(subscriber) }) { end(run) }
    }

    private func stopAndReturn(_ subscriber: SubscriberID) {
        stop(subscriber)
        // This waits for its turn: a viewer of a group gets fifty snapshots. By then the viewer may
        // have asked for another playback.
        mailbox.postForViewer { [weak self] core in
            guard let self, state.withLock({ $0.byViewer[subscriber] == nil }) else { return }
            core.returnToLive(subscriber)
        }
    }

    private func end(_ run: PlaybackRun) {
        Task { await run.stop() }
        mailbox.post { $0.end(run.plan) }
    }

    // MARK: By owners

    /// Plays a session to a share for its owner; current viewers switch to it.
    ///
    /// - Returns: Number of viewers.
    /// - Throws: ``AdministrationError/tooManyPlaybacks``
    package func begin(_ playback: SharePlayback, on share: Share) async throws -> Int {
        end(on: share.key)
        let bytes = bytes(of: share)
        let gone = state.withLock { state -> [SubscriberID: PlaybackRun]? in
            let own = state.byViewer.filter { $0.value.plan.party == .share(share.key) }
            guard let gaveWay = state.budget.take(bytes, for: share.key) else { return nil }
            state.byShare[share.key] = Owned(playback: playback)
            var gone: [SubscriberID: PlaybackRun] = [:]
            for viewer in Array(own.keys) + gaveWay { gone[viewer] = state.remove(viewer) }
            return gone
        }
        guard let gone else { throw AdministrationError.tooManyPlaybacks }
        for (viewer, run) in gone {
            end(run)
            if run.plan.party != .share(share.key) { mailbox.post { $0.returnToLive(viewer) } }
        }
        let watching = await mailbox.ask { $0.subscribers.watching(share.key).count } ?? 0
        if watching > 0 { resume(on: share) }
        return watching
    }

    /// Continues the owner's playback for a new viewer, if it had no viewers.
    package func resume(on share: Share) {
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
            // The lease goes on: a later viewer finds the playback at its position at that time.
            let run = state.withLock { state -> PlaybackRun? in
                guard state.byShare[key]?.run?.plan.number == plan.number else { return nil }
                defer { state.byShare[key]?.run = nil }
                return state.byShare[key]?.run
            }
            if let run { end(run) }
        }
    }

    /// The current playback to the share; `nil`: none.
    package func playback(on key: ShareKey, at now: Timestamp) -> SharePlayback? {
        let found = state.withLock { $0.byShare[key]?.playback }
        guard let found, found.position(at: now) == nil else { return found }
        end(on: key)
        return nil
    }

    /// Renews the lease of a playback.
    ///
    /// - Returns: The playback; `nil` when it is over.
    package func renew(on key: ShareKey, at now: Timestamp) -> SharePlayback? {
        guard playback(on: key, at: now) != nil else { return nil }
        return state.withLock { state in
            state.byShare[key]?.playback.leaseEnd = now.advanced(
                bySeconds: SharePlayback.leaseSeconds)
            return state.byShare[key]?.playback
        }
    }

    /// Ends the playback to a share; its viewers return to the live stream.
    package func end(on key: ShareKey) {
        let run = state.withLock { state in
            state.budget.release(key)
            return state.byShare.removeValue(forKey: key)?.run
        }
        if let run { end(run) }
    }

    private func isOn(_ playback: SharePlayback, of key: ShareKey) -> Bool {
        let now = clock()
        return state.withLock { state in
            guard let current = state.byShare[key]?.playback else { return false }
            return current.startedAt == playback.startedAt && current.leaseEnd > now
        }
    }

    // MARK: Changes by the owner

    /// Restarts the playbacks of shares, so that they are read again.
    package func restart(_ shares: Set<ShareKey>) {
        let runs = state.withLock { state in
            (Array(state.byViewer.values) + state.byShare.values.compactMap(\.run)).filter {
                run in
                run.plan.members.contains { shares.contains($0.key) }
            }
        }
        for run in runs { Task { await run.start() } }
    }
}
