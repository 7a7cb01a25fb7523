import Ingest
package import SensorModel
package import Sessions
package import Sharing
import Synchronization

/// Heart rates of shares for readers of other services' interfaces. It uses the same feeds as
/// viewers, with one subscription on the hub for all readers of a share.
package final class HeartRateHub: Sendable {
    /// Number that stands for this hub in place of an event loop.
    package static let loop = -1

    /// A message to a reader.
    package struct News: Hashable, Sendable {
        /// Current reading; `nil`: none.
        package var reading: HeartRateReading?
        /// Number of sessions that the share has shown so far.
        package var session = 0
    }

    package typealias Readings = AsyncStream<News>

    fileprivate struct Reader {
        /// Link of the reader: a group's, or the share's own.
        let link: Share
        let continuation: Readings.Continuation
    }

    fileprivate struct Watched {
        /// Reads what the share shows if only the log has it.
        let log: ShareReader
        let party: LinkParty
        var readers: [Int: Reader] = [:]
        var news = News()
        /// Subscription on the hub; `nil` until it has joined.
        var subscription: ShareHub.Subscription?
        /// Whether news wait because they came too fast.
        var isLate = false
    }

    private struct State {
        var watched: [ShareKey: Watched] = [:]
        var pace = NewsPace()
        var lastReader = 0
        var places = ReaderPlaces()
    }

    /// Buffered messages; a reader that falls behind gets the newest.
    private static let bufferedMax = 64

    private let state = Mutex(State())
    /// Arrival clock.
    private let clock: @Sendable () -> Timestamp

    /// - Parameter clock: Arrival clock.
    package init(clock: @escaping @Sendable () -> Timestamp) { self.clock = clock }

    /// Accesses the places of readers; a reader has a place before it begins to read.
    package func withPlaces<Result>(_ body: (inout ReaderPlaces) -> Result) -> Result {
        state.withLock { body(&$0.places) }
    }

    /// Begins to read for a reader that has a place.
    ///
    /// - Parameters:
    ///   - share: Share of one device.
    ///   - link: Link by which the reader came.
    ///   - log: Reader of the log.
    /// - Returns: The current reading, then each change. Ends with the share, or the link.
    package func readings(of share: Share, by link: Share, _ log: ShareReader) -> Readings {
        let mailbox = log.mailbox
        let (stream, continuation) = Readings.makeStream(
            bufferingPolicy: .bufferingNewest(Self.bufferedMax))
        let number = state.withLock { state in
            state.lastReader += 1
            let reader = Reader(link: link, continuation: continuation)
            let fresh = Watched(log: log, party: LinkParty(share.key, of: share.device))
            state.watched[share.key, default: fresh].readers[state.lastReader] = reader
            return state.lastReader
        }
        continuation.onTermination = { [weak self] _ in
            mailbox.post { core in self?.remove(number, from: share.key, core) }
        }
        let accepted = mailbox.postForViewer { core in self.join(share.key, for: number, core) }
        if !accepted { continuation.finish() }
        return stream
    }

    // MARK: In the pipeline's turns only

    private func join(_ key: ShareKey, for reader: Int, _ core: PipelineCore) {
        guard let share = core.hub.directory[key] else { return end(key) }
        // The share was revoked, rotated or expired after the listener admitted the reader.
        let link = state.withLock { $0.watched[key]?.readers[reader]?.link }
        let current = link.flatMap { core.hub.directory[$0.key] }
        guard let current, current.idHash == link?.idHash,
            core.hub.directory.isShown(current, at: core.now)
        else { return finish(reader, of: key) }
        if core.unresolved(by: share) != nil { return resolve(share, for: reader) }
        _ = core.sessionShown(by: share)
        core.hub.forgetEndedSession(of: key, cursor: core.cursor, at: core.now)
        if state.withLock({ $0.watched[key]?.subscription == nil }) {
            guard
                let joined = core.hub.join(
                    key, loop: Self.loop, cursor: core.cursor, at: core.now)
            else { return end(key) }
            state.withLock { state in
                state.watched[key]?.subscription = joined.subscription
                state.watched[key]?.news.reading = joined.snapshot.heartRate
            }
        }
        state.withLock { state in
            guard let watched = state.watched[key] else { return }
            _ = watched.readers[reader]?.continuation.yield(watched.news)
        }
    }

    /// Joins again once the log has answered what the share shows, as live streams do. This is
    /// immediate except shortly after a start or a change of settings. A refused read is retried
    /// while the reader is connected.
    private func resolve(_ share: Share, for number: Int) {
        guard let (log, link) = reader(number, of: share.key) else { return }
        Task {
            do {
                try await log.resolve([share], for: .share(link.key), from: .owner)
            } catch {
                guard error as? ReadRefusal != .cancelled else {
                    return self.finish(number, of: share.key)
                }
                try? await Task.sleep(for: Self.retryInterval)
                guard self.reader(number, of: share.key) != nil else { return }
            }
            let isPosted = log.mailbox.postForViewer { core in
                self.join(share.key, for: number, core)
            }
            if !isPosted { self.finish(number, of: share.key) }
        }
    }

    private static let retryInterval = Duration.milliseconds(500)

    private func reader(_ number: Int, of key: ShareKey) -> (log: ShareReader, link: Share)? {
        state.withLock { state in
            state.watched[key].flatMap { watched in
                watched.readers[number].map { (watched.log, $0.link) }
            }
        }
    }

    private func finish(_ reader: Int, of key: ShareKey) {
        state.withLock { _ = $0.watched[key]?.readers[reader]?.continuation.finish() }
    }

    private func remove(_ reader: Int, from key: ShareKey, _ core: PipelineCore) {
        let subscription = state.withLock { state -> ShareHub.Subscription? in
            state.watched[key]?.readers[reader] = nil
            guard state.watched[key]?.readers.isEmpty == true else { return nil }
            return state.watched.removeValue(forKey: key)?.subscription
        }
        if let subscription { core.hub.leave(subscription) }
    }

    /// Handles a message of the hub for a share.
    package func show(_ message: ShareHub.Message, of key: ShareKey) {
        switch message {
        case .update(let update): tell(update, of: key)
        case .ended:
            // The share starts anew: with other settings, or without an erased session.
            let watched = state.withLock { state -> Watched? in
                state.watched[key]?.subscription = nil
                state.watched[key]?.news.reading = nil
                state.watched[key]?.tell()
                return state.watched[key]
            }
            guard let watched else { return }
            // Each reader joins separately, because it or its link may be gone by then.
            for reader in watched.readers.keys {
                watched.log.mailbox.postForViewer { core in self.join(key, for: reader, core) }
            }
        }
    }

    private func tell(_ update: FeedUpdate, of key: ShareKey) {
        guard update.begins || update.heartRate != nil else { return }
        let now = clock()
        var isLate = false
        state.withLock { state in
            guard var watched = state.watched[key] else { return }
            let before = watched.news
            if update.begins {
                watched.news.session += 1
                watched.news.reading = nil
            }
            if let reading = update.heartRate { watched.news.reading = reading }
            if watched.news != before, !watched.isLate {
                if state.pace.mayTell(watched.party, watched.readers.count, at: now) {
                    watched.tell()
                } else {
                    watched.isLate = true
                }
                isLate = watched.isLate
            }
            state.watched[key] = watched
        }
        if isLate { tellLate(key) }
    }

    /// Sends the newest reading of a share whose news come too fast, once the pace allows it.
    private func tellLate(_ key: ShareKey) {
        Task {
            var isLate = true
            while isLate {
                try? await Task.sleep(for: .seconds(NewsPace.lateSeconds))
                let now = clock()
                isLate = state.withLock { state in
                    guard let watched = state.watched[key] else { return false }
                    let count = watched.readers.count
                    guard state.pace.mayTell(watched.party, count, at: now) else { return true }
                    state.watched[key]?.isLate = false
                    watched.tell()
                    return false
                }
            }
        }
    }

    /// Ends the readers of a share, or of a group's link, that is over.
    package func end(_ key: ShareKey) {
        state.withLock { state in
            for (share, watched) in state.watched {
                for reader in watched.readers.values where share == key || reader.link.key == key {
                    reader.continuation.finish()
                }
            }
        }
    }
}

extension HeartRateHub.Watched {
    fileprivate func tell() {
        for reader in readers.values { reader.continuation.yield(news) }
    }
}
