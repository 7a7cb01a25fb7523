import Logging
import SensorModel
import Sessions
import Sharing
import Transport

extension PipelineCore {
    /// Ends everybody's watching of a share that is over: who came by its link must not come back
    /// with it; who saw it in a group may come back to the rest of the group.
    ///
    /// - Parameters:
    ///   - key: The share that is over.
    ///   - directory: The shares as they are without it.
    ///   - code: What those are told who came by its link.
    private func end(
        _ key: ShareKey, in directory: ShareDirectory, code: CloseCode = .shareEnded
    ) {
        for subscriber in watchers.groupViewers(of: key) {
            let link = watchers[subscriber].flatMap { directory[$0.link] }
            let goesOn = link.map { directory.isShown($0, at: now) } ?? false
            close(subscriber, goesOn ? .goingAway : .shareEnded)
        }
        for subscriber in watchers.comers(by: key) { close(subscriber, code) }
        board.letGo(of: key)
        parts.heartRates.end(key)
    }

    private func close(_ subscriber: SubscriberID, _ code: CloseCode) {
        send(.closeSubscriber(subscriber, code), to: subscriber)
    }

    /// Takes over a share that was made, rotated or revoked; `code` is what its viewers are told
    /// when it is over with that.
    func put(_ share: Share, ending code: CloseCode = .shareEnded) {
        var share = share
        // The other thread's clock may be a little ahead: what is revoked is revoked now.
        share.revokedAt = share.revokedAt.map { min($0, now) }
        if let before = board.directory[share.key],
            before.idHash != share.idHash || !share.isActive(at: now)
        {
            // Its viewers are told before the board sends away whoever is left.
            var directory = board.directory
            directory.put(share)
            end(share.key, in: directory, code: code)
        }
        playbacks.forget(Set(board.put(share)))
        expiries.next = board.directory.nextExpiry(after: expiries.done)
    }

    /// Shares whose time has come lose their viewers now, not when somebody looks next.
    func expireShares() {
        // A clock that was set back makes shares valid again, and they expire again.
        if now < expiries.done { forgetExpiries() }
        guard let due = expiries.next, due <= now else { return }
        for key in board.directory.expired(after: expiries.done, through: now) {
            parts.logger.log(
                .shareChanged, .notice, "share expired",
                ["share": "\(board.directory[key]?.name ?? "")"])
            end(key, in: board.directory)
        }
        forgetExpiries()
    }

    /// Whatever expires by now has been dealt with.
    private func forgetExpiries() {
        expiries.done = now
        expiries.next = board.directory.nextExpiry(after: now)
    }
}

/// Which shares' time has come, and when the next one's will.
struct ShareExpiries {
    /// Whoever expires by then has been dealt with.
    var done: Timestamp
    var next: Timestamp?
}
