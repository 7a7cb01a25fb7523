import Logging
import SegmentLog
package import SensorModel
import Sessions
import Sharing
import Transport

/// Catch-up of viewers that reconnect: validates their cursor and sends the missed events.
extension PipelineCore {
    package func resume(
        _ subscriber: SubscriberID, _ members: [Share], after cursor: LogCursor,
        _ reader: ShareReader
    ) {
        guard let watch = subscribers[subscriber] else { return }
        // The log must contain the cursor's record, which identifies the device of the cursor.
        log.flush()
        let number = watch.catchUpNumber
        let sources = sources(of: members, after: cursor.offset)
        // While a session is rebuilt, the last values shown by its share are unknown.
        let hiding = sources.filter { $0.rule != .everything }.map(\.share)
        subscribers[subscriber]?.reading = Task {
            // Events of a member with a trimmed finish come minutes after those of the other
            // members. So one cursor cannot say which events of both a viewer already has.
            let isOrdered = CatchUp.secondsLate(of: sources.map(\.rule)) == 0
            let isShown =
                isOrdered
                ? await reader.isShown(
                    cursor, by: sources, for: .share(watch.link), from: .viewer(subscriber))
                : false
            if isShown == true { await reader.mailbox.waitUntilLoaded(hiding) }
            reader.mailbox.post { core in
                // The viewer may have left or started a playback meanwhile.
                guard core.subscribers[subscriber]?.catchUpNumber == number else { return }
                switch isShown {
                case nil: core.send(.closeSubscriber(subscriber, .tooManyRequests), to: subscriber)
                case false: core.begin(subscriber, members, at: .gap)
                case true where hiding.contains(where: core.isLoading):
                    core.begin(subscriber, members, at: .gap)
                case true:
                    core.begin(subscriber, members, at: .after(cursor))
                    core.catchUp(subscriber, members, after: cursor.offset, reader)
                }
            }
        }
    }

    private func sources(of members: [Share], after: RecordOffset) -> [CatchUp.Source] {
        let end = cursor.offset
        var sources: [CatchUp.Source] = []
        for share in members.map(current) {
            let sessions = hub.sessions(openTo: share, after: after, at: now)
            sources.append(
                CatchUp.Source(
                    share: share, privacy: privacy(of: share), sessions: sessions, end: end))
        }
        return sources
    }

    /// Privacy settings of the share's device.
    package func privacy(of share: Share) -> PrivacySettings {
        guard let device = share.device else { return .none }
        return accounts.privacy(of: device)
    }

    private func catchUp(
        _ subscriber: SubscriberID, _ members: [Share], after: RecordOffset,
        _ reader: ShareReader
    ) {
        var due = now
        let sources = sources(of: members, after: after).compactMap { source -> CatchUp.Source? in
            guard let snapshot = hub.snapshot(source.share.key, cursor: cursor, at: now) else {
                return nil
            }
            let missed = hub.missed(
                of: source.share, before: snapshot, cursor: cursor,
                hides: source.rule != .everything)
            due = max(due, missed.due ?? due)
            return CatchUp.Source(
                share: source.share, privacy: source.privacy, sessions: source.sessions,
                end: missed.through)
        }
        log.flush()
        let catchUp = CatchUp(
            sources, after: after, newest: cursor.offset, epoch: log.epoch,
            inGroup: isInGroup(subscriber))
        read(
            catchUp, for: subscriber, afterMicroseconds: due.microseconds - now.microseconds, reader
        )
    }

    /// Continues a catch-up: the socket has room for more of the missed events.
    package func continueCatchUp(of subscriber: SubscriberID, _ reader: ShareReader) {
        guard let catchUp = subscribers[subscriber]?.catchUp else { return }
        subscribers[subscriber]?.catchUp = nil
        guard !catchUp.isComplete else {
            return send(.caughtUp(subscriber), to: subscriber)
        }
        read(catchUp, for: subscriber, reader)
    }

    private func read(
        _ catchUp: CatchUp, for subscriber: SubscriberID, afterMicroseconds wait: Int64 = 0,
        _ reader: ShareReader
    ) {
        guard let watch = subscribers[subscriber] else { return }
        let number = watch.catchUpNumber
        subscribers[subscriber]?.reading = Task {
            if wait > 0 { try? await Task.sleep(for: .microseconds(wait)) }
            let part = await reader.nextPart(
                of: catchUp, for: .share(watch.link), from: .viewer(subscriber))
            reader.mailbox.post { core in
                guard core.subscribers[subscriber]?.catchUpNumber == number else { return }
                core.took(part, for: subscriber, reader)
            }
        }
    }

    private func took(
        _ part: (catchUp: CatchUp, events: [EncodedEvent])?, for subscriber: SubscriberID,
        _ reader: ShareReader
    ) {
        guard let part else {
            // The missed events cannot be read: the viewer gets a gap.
            let members = subscribers[subscriber]?.feeds.compactMap { hub.directory[$0] } ?? []
            leaveFeeds(subscriber)
            return begin(subscriber, members, at: .gap)
        }
        guard !part.events.isEmpty else {
            return send(.caughtUp(subscriber), to: subscriber)
        }
        subscribers[subscriber]?.catchUp = part.catchUp
        send(.catchUp(subscriber, part.events), to: subscriber)
    }
}
