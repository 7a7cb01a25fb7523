import SensorModel
import Sessions
import Sharing
import Synchronization

/// The heart rates of shares for readers of other services' interfaces: they hang on the same feeds as
/// every viewer, one place on the board for all readers of a share.
final class HeartRateHub: Sendable {
    /// Stands for it where an event loop is meant.
    static let loop = -1

    /// What a reader is told.
    struct News: Hashable, Sendable {
        /// `nil` while there is none.
        var reading: HeartRateReading?
        /// Counts the sessions that the share has shown meanwhile.
        var session = 0
    }

    typealias Readings = AsyncStream<News>

    fileprivate struct Reader {
        /// By which it came: a group's link, or the share's own.
        let link: Share
        let continuation: Readings.Continuation
    }

    fileprivate struct Watched {
        var readers: [Int: Reader] = [:]
        var news = News()
        /// `nil` until it has joined.
        var seat: ShareBoard.Seat?
    }

    private struct State {
        var watched: [ShareKey: Watched] = [:]
        var lastReader = 0
    }

    /// A reader that does not keep up gets the newest.
    private static let bufferedMax = 64

    private let state = Mutex(State())

    /// - Parameters:
    ///   - share: Of one device.
    ///   - link: By which the reader came.
    ///   - mailbox: Of the pipeline.
    /// - Returns: The reading now, and each other than the last. Ends with the share, or the link.
    func readings(of share: Share, by link: Share, _ mailbox: PipelineMailbox) -> Readings {
        let (stream, continuation) = Readings.makeStream(
            bufferingPolicy: .bufferingNewest(Self.bufferedMax))
        let number = state.withLock { state in
            state.lastReader += 1
            let reader = Reader(link: link, continuation: continuation)
            state.watched[share.key, default: Watched()].readers[state.lastReader] = reader
            return state.lastReader
        }
        continuation.onTermination = { [weak self] _ in
            mailbox.post { core in self?.remove(number, from: share.key, core) }
        }
        let accepted = mailbox.post { core in self.join(share.key, for: number, core) }
        if !accepted { continuation.finish() }
        return stream
    }

    // MARK: In the pipeline's turns only

    private func join(_ key: ShareKey, for reader: Int, _ core: PipelineCore) {
        guard let share = core.board.directory[key] else { return end(key) }
        // Revoked, rotated or expired between the door and here.
        let link = state.withLock { $0.watched[key]?.readers[reader]?.link }
        let current = link.flatMap { core.board.directory[$0.key] }
        guard let current, current.idHash == link?.idHash,
            core.board.directory.isShown(current, at: core.now)
        else { return state.withLock { $0.watched[key]?.readers[reader]?.continuation.finish() } }
        _ = core.sessionShown(by: share)
        if state.withLock({ $0.watched[key]?.seat == nil }) {
            guard
                let joined = core.board.join(
                    key, loop: Self.loop, cursor: core.cursor, at: core.now)
            else { return end(key) }
            state.withLock { state in
                state.watched[key]?.seat = joined.seat
                state.watched[key]?.news.reading = joined.snapshot.heartRate
            }
        }
        state.withLock { state in
            guard let watched = state.watched[key] else { return }
            _ = watched.readers[reader]?.continuation.yield(watched.news)
        }
    }

    private func remove(_ reader: Int, from key: ShareKey, _ core: PipelineCore) {
        let seat = state.withLock { state -> ShareBoard.Seat? in
            state.watched[key]?.readers[reader] = nil
            guard state.watched[key]?.readers.isEmpty == true else { return nil }
            return state.watched.removeValue(forKey: key)?.seat
        }
        if let seat { core.board.leave(seat) }
    }

    /// The board has news of a share.
    func show(_ message: ShareBoard.Message, of key: ShareKey, _ mailbox: PipelineMailbox) {
        switch message {
        case .update(let update): tell(update, of: key)
        case .ended:
            // The share begins anew: with other settings, or without a session that was erased.
            let first = state.withLock { state -> Int? in
                state.watched[key]?.seat = nil
                state.watched[key]?.news.reading = nil
                state.watched[key]?.tell()
                return state.watched[key]?.readers.keys.first
            }
            guard let first else { return }
            mailbox.post { core in self.join(key, for: first, core) }
        }
    }

    private func tell(_ update: FeedUpdate, of key: ShareKey) {
        guard update.begins || update.heartRate != nil else { return }
        state.withLock { state in
            guard var watched = state.watched[key] else { return }
            let before = watched.news
            if update.begins {
                watched.news.session += 1
                watched.news.reading = nil
            }
            if let reading = update.heartRate { watched.news.reading = reading }
            if watched.news != before { watched.tell() }
            state.watched[key] = watched
        }
    }

    /// The share, or a group's link, is over.
    func end(_ key: ShareKey) {
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

extension HeartRateReading {
    /// Others' interfaces have no word for an old value: it is not shown by them.
    var isCurrent: Bool { state == .live || state == .paused }
}
