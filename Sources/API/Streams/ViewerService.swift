import Logging
package import Runtime
import Secrets
package import SensorModel
import Sharing
package import Transport

/// Admits viewers by their share's ID, and starts their streams on the pipeline.
package struct ViewerService: ViewerGate {
    package let accounts: Accounts
    package let reader: ShareReader
    package let playbacks: Playbacks
    package let clock: @Sendable () -> Timestamp

    package init(
        accounts: Accounts, reader: ShareReader, playbacks: Playbacks,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.accounts = accounts
        self.reader = reader
        self.playbacks = playbacks
        self.clock = clock
    }

    static let retryWhenFullSeconds = 30

    private var mailbox: PipelineMailbox { reader.mailbox }

    package func resolve(share text: String, peer: PeerAddress) -> Result<
        ResolvedShare, ViewerRefusal
    > {
        find(text, peer: peer).flatMap(room).map {
            ResolvedShare(key: $0.key, idHash: $0.idHash)
        }
    }

    /// Whether one more viewer may watch. The viewer is counted when its stream begins: of two that
    /// arrive at once for the last place, one is refused then.
    package func room(at share: Share) -> Result<Share, ViewerRefusal> {
        accounts.withState { $0.viewers.hasRoom(share) }
            ? .success(share) : .failure(.tooMany(retryAfterSeconds: Self.retryWhenFullSeconds))
    }

    /// Finds a share. Unknown, revoked and expired shares give the same result, by one look-up.
    func find(_ text: String, peer: PeerAddress) -> Result<Share, ViewerRefusal> {
        let now = clock()
        let name = PublicName(marked: text)
        // A text that is no ID is hashed as well: the time must not reveal that.
        let hash = Self.hash(of: text)
        let found = accounts.withState { state -> Result<Share, ViewerRefusal> in
            let share = name.map { state.shares.find($0, at: now) }
            if let share = share ?? state.shares.find(hash, at: now) { return .success(share) }
            switch state.failures.failed(peer.key, at: now) {
            case .refuse: return .failure(.unknown)
            case .slowDown(let seconds): return .failure(.tooMany(retryAfterSeconds: seconds))
            }
        }
        if case .success(let share) = found {
            accounts.noteOpen(of: share.key, from: peer.key, at: now)
        }
        return found
    }

    private static func hash(of text: String) -> SecretHash {
        if let id = ShareID(text) { return id.hash }
        var zeros = FixedGenerator()
        return ShareID(using: &zeros).hash
    }

    private enum Unadmitted: Error {
        case ended, full
    }

    package func subscribe(_ request: SubscriptionRequest) {
        let now = clock()
        let admitted = accounts.withState { state -> Result<[Share], Unadmitted> in
            // It may have been revoked, rotated or expired since it was found.
            guard let share = state.shares[request.key], share.idHash == request.share.idHash,
                state.shares.isShown(share, at: now)
            else { return .failure(.ended) }
            guard state.viewers.admit(to: share) else { return .failure(.full) }
            state.viewersEverChanged.insert(share.key)
            return .success(state.shares.feeds(of: share, at: now))
        }
        let members: [Share]
        do throws(Unadmitted) { members = try admitted.get() } catch {
            mailbox.post { core in
                core.send(
                    .closeSubscriber(
                        request.subscriber, error == .ended ? .shareEnded : .tooManyRequests),
                    to: request.subscriber)
            }
            return
        }
        // A group's views, and what is read from the log, may take longer.
        let isBrief = members.count == 1 && request.resume == nil && request.at == nil
        mailbox.postForViewer(request.subscriber, isBrief: isBrief) { core in
            core.subscribe(request, to: members, reader: reader)
            if let time = request.at {
                playbacks.play(request, members: members, from: time)
            } else if let share = members.first, share.key == request.key {
                playbacks.resume(on: share)
            }
        }
    }

    package func unsubscribe(_ subscriber: SubscriberID, from key: ShareKey) {
        guard !mailbox.dropOpening(of: subscriber) else {
            return accounts.withState { $0.viewers.left(key) }
        }
        mailbox.post { core in
            // The opening may have begun a playback since.
            playbacks.stop(subscriber)
            guard core.unsubscribe(subscriber) else { return }
            core.accounts.withState { $0.viewers.left(key) }
        }
        playbacks.stop(subscriber)
    }

    package func readyForMore(_ subscriber: SubscriberID, watching key: ShareKey) {
        mailbox.post { [reader] in $0.continueCatchUp(of: subscriber, reader) }
    }

    package func viewerSaid(
        _ subscriber: SubscriberID, watching key: ShareKey, _ text: [UInt8]
    ) -> ViewerCommandRefusal? {
        guard playbacks.admitsCommand(by: key) else { return .tooMany }
        guard let commands = PlaybackCommand.commands(in: text) else { return .notACommand }
        let waits = mailbox.postAfterOpening(of: subscriber) { _ in
            _ = playbacks.obey(commands, of: subscriber, watching: key)
        }
        guard !waits else { return nil }
        return playbacks.obey(commands, of: subscriber, watching: key) ? nil : .tooMany
    }
}

/// Generates the ID that replaces a malformed one: no share has it.
private struct FixedGenerator: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
}
