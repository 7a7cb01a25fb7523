import Logging
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Transport

/// Viewers that come back: whether their cursor is known, and what they have missed.
extension PipelineCore {
    func resume(
        _ subscriber: SubscriberID, _ members: [Share], after cursor: LogCursor,
        _ reader: ShareReader
    ) {
        guard let watch = watchers[subscriber] else { return }
        // Whose record it is stands in the log.
        log.flush()
        let number = watch.catchUpNumber
        let sources = sources(of: members, after: cursor.offset)
        // While a session is read again, what its share has shown last is not known.
        let hiding = sources.filter { $0.rule != .everything }.map(\.share)
        watchers[subscriber]?.reading = Task {
            let isShown = await reader.isShown(
                cursor, by: sources, for: .share(watch.link), from: .viewer(subscriber))
            if isShown == true { await reader.mailbox.waitUntilLoaded(hiding) }
            reader.mailbox.post { core in
                // It may have left or gone to a recording meanwhile.
                guard core.watchers[subscriber]?.catchUpNumber == number else { return }
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
            let sessions = board.sessions(openTo: share, after: after, at: now)
            sources.append(
                CatchUp.Source(
                    share: share, privacy: privacy(of: share), sessions: sessions, end: end))
        }
        return sources
    }

    /// What the owner hides of the share's device.
    func privacy(of share: Share) -> PrivacySettings {
        guard let device = share.device else { return .none }
        return accounts.privacy(of: device)
    }

    private func catchUp(
        _ subscriber: SubscriberID, _ members: [Share], after: RecordOffset,
        _ reader: ShareReader
    ) {
        var due = now
        let sources = sources(of: members, after: after).compactMap { source -> CatchUp.Source? in
            guard let snapshot = board.snapshot(source.share.key, cursor: cursor, at: now) else {
                return nil
            }
            let missed = board.missed(
                of: source.share, before: snapshot, cursor: cursor,
                hides: source.rule != .everything)
            due = max(due, missed.due ?? due)
            return CatchUp.Source(
                share: source.share, privacy: source.privacy, sessions: source.sessions,
                end: missed.through)
        }
        log.flush()
        let catchUp = CatchUp(
            sources, after: after, epoch: log.epoch, inGroup: isInGroup(subscriber))
        read(
            catchUp, for: subscriber, afterMicroseconds: due.microseconds - now.microseconds, reader
        )
    }

    /// The socket has room for the next of what a viewer missed.
    func continueCatchUp(of subscriber: SubscriberID, _ reader: ShareReader) {
        guard let catchUp = watchers[subscriber]?.catchUp else { return }
        watchers[subscriber]?.catchUp = nil
        guard !catchUp.isComplete else {
            return send(.caughtUp(subscriber), to: subscriber)
        }
        read(catchUp, for: subscriber, reader)
    }

    private func read(
        _ catchUp: CatchUp, for subscriber: SubscriberID, afterMicroseconds wait: Int64 = 0,
        _ reader: ShareReader
    ) {
        guard let watch = watchers[subscriber] else { return }
        let number = watch.catchUpNumber
        watchers[subscriber]?.reading = Task {
            if wait > 0 { try? await Task.sleep(for: .microseconds(wait)) }
            let part = await reader.nextPart(
                of: catchUp, for: .share(watch.link), from: .viewer(subscriber))
            reader.mailbox.post { core in
                guard core.watchers[subscriber]?.catchUpNumber == number else { return }
                core.took(part, for: subscriber, reader)
            }
        }
    }

    private func took(
        _ part: (catchUp: CatchUp, events: [EncodedEvent])?, for subscriber: SubscriberID,
        _ reader: ShareReader
    ) {
        guard let part else {
            // What it missed cannot be read: it is told that it missed something.
            let members = watchers[subscriber]?.feeds.compactMap { board.directory[$0] } ?? []
            leaveFeeds(subscriber)
            return begin(subscriber, members, at: .gap)
        }
        guard !part.events.isEmpty else {
            return send(.caughtUp(subscriber), to: subscriber)
        }
        watchers[subscriber]?.catchUp = part.catchUp
        send(.catchUp(subscriber, part.events), to: subscriber)
    }
}

extension ShareReader {
    /// - Returns: `nil` where too many ask.
    func isShown(
        _ cursor: LogCursor, by sources: [CatchUp.Source], for party: ReadParty,
        from requester: ReadRequester
    ) async -> Bool? {
        // A number of the future is nobody's; one that is not written yet may be this viewer's.
        guard cursor.epoch == log.epoch,
            cursor.offset < log.nextOffset || cursor.offset.rawValue == 0
        else { return false }
        let isDelayed = sources.allSatisfy { $0.share.delaySeconds > 0 }
        if !isDelayed {
            guard await isReadable(through: cursor.offset) else { return false }
        }
        do {
            return try await pool.run(for: party, from: requester) { ticket in
                let place = CursorPlace(log: log, now: clock()) { device, offset in
                    catalog.sessions(
                        of: device, around: offset, beyond: CursorPlace.endingsMax)
                }
                return try place.isShown(cursor, by: sources) {
                    session, rule throws(SegmentLogError) in
                    try records(of: session, by: rule, ticket)
                }
            }
        } catch is ReadRefusal {
            return nil
        } catch {
            logger.error("a cursor cannot be looked up: \(error)")
            return false
        }
    }

    /// - Returns: `nil`: it cannot be read.
    func nextPart(
        of catchUp: CatchUp, for party: ReadParty, from requester: ReadRequester
    ) async -> (catchUp: CatchUp, events: [EncodedEvent])? {
        guard await isReadable(through: catchUp.end) else { return nil }
        do {
            return try await pool.run(for: party, from: requester) { ticket in
                var catchUp = catchUp
                let part = try catchUp.nextPart(at: clock()) {
                    session, rule throws(SegmentLogError) in
                    try records(of: session, by: rule, ticket)
                }
                guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
                return (catchUp, part.map { EncodedEvent(cursor: $0.cursor, json: $0.json) })
            }
        } catch ReadRefusal.cancelled {
            return nil  // The viewer left, or the daemon stops.
        } catch {
            logger.error("missed events cannot be read: \(error)")
            return nil
        }
    }
}
