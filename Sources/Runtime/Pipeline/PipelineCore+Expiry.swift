import Logging
import Replay
package import SensorModel
import Sessions
import Sharing
import Transport

extension PipelineCore {
    /// Closes all viewers of a share that is over. Viewers of its own link must not reconnect with
    /// it; viewers of a group may reconnect to the rest of the group.
    ///
    /// - Parameters:
    ///   - share: The share as of now: over, or with another ID.
    ///   - code: Close code for viewers of its own link.
    private func end(_ share: Share, code: CloseCode = .shareEnded) {
        let key = share.key
        for subscriber in subscribers.groupViewers(of: key) {
            let link = subscribers[subscriber].flatMap { hub.directory[$0.link] }
            let isStillShown =
                link.map { hub.directory.isShown($0, at: now, with: share) } ?? false
            close(subscriber, isStillShown ? .goingAway : .shareEnded)
        }
        for subscriber in subscribers.viewers(ofLink: key) { close(subscriber, code) }
        hub.dropView(of: key)
        parts.heartRates.end(key)
    }

    private func close(_ subscriber: SubscriberID, _ code: CloseCode) {
        send(.closeSubscriber(subscriber, code), to: subscriber)
    }

    /// Applies a share that was made, rotated or revoked. If it is over, its viewers are closed
    /// with `code`.
    package func put(_ share: Share, ending code: CloseCode = .shareEnded) {
        var share = share
        // The clock of the revoking thread may be slightly ahead, but a revocation takes effect
        // now.
        share.revokedAt = share.revokedAt.map { min($0, now) }
        if let before = hub.directory[share.key],
            before.idHash != share.idHash || !share.isActive(at: now)
        {
            // The viewers get their close code before the hub removes the remaining ones.
            end(share, code: code)
        } else if let before = hub.directory[share.key], before.members != share.members {
            // Who watches a group follows the members that it had; the next connection follows all.
            for subscriber in subscribers.viewers(ofLink: share.key) {
                close(subscriber, .goingAway)
            }
        }
        playbacks.forget(Set(hub.put(share)))
        // A share that is revoked or prolonged later only causes a check without effect.
        if let expiry = share.expiresAt, share.revokedAt == nil, expiry > expiries.done {
            expiries.next = min(expiry, expiries.next ?? expiry)
        }
    }

    /// Closes the viewers of expired shares at the moment of expiry.
    func expireShares() {
        // After a clock was set back, shares are valid again and expire again.
        if now < expiries.done { forgetExpiries() }
        guard let due = expiries.next, due <= now else { return }
        for key in hub.directory.expired(after: expiries.done, through: now) {
            guard let share = hub.directory[key] else { continue }
            parts.logger.log(
                .shareChanged, .notice, "share expired", ["share": "\(share.name)"])
            end(share)
        }
        forgetExpiries()
    }

    /// Marks all expiries up to now as processed.
    private func forgetExpiries() {
        expiries.done = now
        expiries.next = hub.directory.nextExpiry(after: now)
    }
}

/// Processed expiries, and the time of the next one.
struct ShareExpiries {
    /// Time up to which expiries are processed.
    var done: Timestamp
    var next: Timestamp?
}
