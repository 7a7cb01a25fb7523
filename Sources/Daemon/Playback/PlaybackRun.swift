import Logging
import SegmentLog
import SensorModel
import Sessions
import Sharing

/// Plays recordings to those who watch them, at their pace: reads a little ahead, and hands each
/// update to the pipeline when it is due.
///
///     read ─▶ snapshot ─▶ wait until due ─▶ update ─┐
///      ▲          ▲             └──────◀────────────┘
///      └── seek ──┴── pause, speed
///
/// Of commands that come fast the newest counts.
actor PlaybackRun {
    /// What is played to whom.
    struct Plan: Sendable {
        /// Names it among all of this daemon's.
        var number: UInt64
        /// A share of one device, or a group's members.
        var members: [Share]
        /// The link it is watched by, and where from: whose turn at the log it takes.
        var party: ReadParty
        var reader: ReadRequester
        /// What the owner plays; `nil`: the session that the share shows.
        var recording: SharePlayback?
        var audience: PipelineCore.PlaybackAudience

        var keys: [FeedKey] { members.map { FeedKey($0.key, playback: number) } }
        var runsInGroup: Bool { members.count > 1 }
    }

    /// How the run came to its end; it is told once.
    enum Ending: Sendable {
        /// There was nothing to show, or all that the owner wanted shown was.
        case over
        /// Nobody watches any more.
        case unwatched
    }

    struct State: Sendable {
        /// Device time.
        var position: Timestamp
        var speed: Double
        var isPaused = false
    }

    /// From one start to the next: a few a second.
    private static let restartInterval = Duration.milliseconds(250)
    /// Updates are handed over together where they come faster.
    private static let tick = Duration.milliseconds(20)
    /// Updates read ahead, of all members.
    private static let aheadMax = 128

    nonisolated let plan: Plan
    private let reader: ShareReader
    private let isWanted: @Sendable () -> Bool
    private let ended: @Sendable (Ending) -> Void
    private var state: State
    private var task: Task<Void, Never>?
    private var lastStart: ContinuousClock.Instant?
    private var restart: Task<Void, Never>?
    private var isOver = false

    /// - Parameters:
    ///   - plan: What and to whom.
    ///   - state: Where and how fast it begins.
    ///   - reader: Of the log.
    ///   - isWanted: Asked once a second: the owner may have ended it.
    ///   - ended: Told once, unless it is stopped from outside.
    init(
        _ plan: Plan, from state: State, reader: ShareReader,
        isWanted: @escaping @Sendable () -> Bool = { true },
        ended: @escaping @Sendable (Ending) -> Void
    ) {
        self.plan = plan
        self.state = state
        self.reader = reader
        self.isWanted = isWanted
        self.ended = ended
    }

    /// Begins, or begins anew with what holds now; soon, if it has just begun.
    func start() {
        guard !isOver, restart == nil else { return }
        let now = ContinuousClock.now
        if let lastStart, now - lastStart < Self.restartInterval {
            restart = Task { await restartLater(at: lastStart + Self.restartInterval) }
            return
        }
        lastStart = now
        task?.cancel()
        let state = state
        task = Task { await run(state) }
    }

    private func restartLater(at time: ContinuousClock.Instant) async {
        do { try await Task.sleep(until: time) } catch { return }
        restart = nil
        start()
    }

    func obey(_ commands: [PlaybackCommand]) {
        for command in commands {
            switch command {
            case .seek(let time):
                // The owner chose what of the session is played.
                let range = plan.recording?.times ?? time...time
                state.position = min(max(time, range.lowerBound), range.upperBound)
            case .pause(let paused): state.isPaused = paused
            case .speed(let speed): state.speed = speed
            case .live: return
            }
        }
        start()
    }

    func stop() {
        isOver = true
        task?.cancel()
        restart?.cancel()
    }

    private func end(_ ending: Ending) {
        guard !isOver else { return }
        stop()
        ended(ending)
    }

    // MARK: Reading

    private struct Line: Sendable {
        let share: Share
        var source: RecordingSource
        var ahead: ArraySlice<RecordingSource.Timed> = []
    }

    private func run(_ state: State) async {
        do {
            var position = state.position
            while true {
                guard let lines = try await begin(at: position) else { return end(.over) }
                guard !state.isPaused else { return }
                guard let again = try await play(lines, from: position, speed: state.speed) else {
                    return
                }
                position = again
            }
        } catch is CancellationError {
            return  // The viewer sought elsewhere or left.
        } catch ReadRefusal.cancelled {
            return
        } catch {
            reader.logger.error("a recording cannot be shown: \(error)")
            end(.over)
        }
    }

    /// Shows everything as it was at a moment.
    ///
    /// - Returns: `nil` when there is nothing to show.
    private func begin(at time: Timestamp) async throws -> [Line]? {
        var lines: [Line] = []
        var shown: [(Share, ProjectionRule, SessionUpdate)] = []
        for share in plan.members {
            guard let (rule, source, everything) = try await begin(share, at: time) else {
                continue
            }
            lines.append(Line(share: share, source: source))
            shown.append((share, rule, everything))
        }
        guard !lines.isEmpty else { return nil }
        try Task.checkCancellation()
        let (plan, beginnings) = (plan, shown)
        let isWatched = await reader.mailbox.ask { core in
            core.begin(plan, with: beginnings)
        }
        // What the owner hides changed while it was read.
        if case .some(nil) = isWatched { return try await begin(at: time) }
        guard isWatched == true else {
            end(.unwatched)
            throw CancellationError()
        }
        return lines
    }

    private func begin(
        _ share: Share, at time: Timestamp
    ) async throws -> (ProjectionRule, RecordingSource, SessionUpdate)? {
        let chosen = plan.recording?.session
        let found = await reader.mailbox.ask { core -> (SessionID, ProjectionRule)? in
            core.log.flush()
            let session =
                chosen ?? core.board.session(shownBy: core.current(share), at: core.now)
            guard let session else { return nil }
            return (session, core.rule(for: share))
        }
        guard let (session, rule) = found ?? nil else { return nil }
        let reader = reader
        return try await reader.pool.run(for: plan.party, from: plan.reader) { ticket in
            guard let records = try reader.records(of: session, by: rule, ticket) else {
                return nil
            }
            let now = reader.clock()
            let begun = try RecordingSource.begin(
                records, at: time, arrivedBy: share.shownArrivals(at: now), now: now)
            guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
            return begun.map { (rule, $0.source, $0.everything) }
        }
    }

    private func fill(_ line: inout Line, _ limit: Int) async throws {
        let (source, share, clock) = (line.source, line.share, reader.clock)
        let read = try await reader.pool.run(for: plan.party, from: plan.reader) { ticket in
            var source = source
            let now = clock()
            let ahead = try source.next(
                limit, arrivedBy: share.shownArrivals(at: now), now: now)
            guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
            return (source, ahead)
        }
        line.source = read.0
        line.ahead = read.1[...]
    }

    // MARK: Playing

    /// - Returns: Where to begin again, for what is played in a loop; `nil`: it is over.
    private func play(
        _ begun: [Line], from start: Timestamp, speed: Double
    ) async throws -> Timestamp? {
        var lines = begun
        let origin = ContinuousClock.now
        let limit = max(4, Self.aheadMax / lines.count)
        while true {
            let end = reader.log.writtenEnd
            for index in lines.indices where lines[index].ahead.isEmpty {
                try await fill(&lines[index], limit)
            }
            guard let due = lines.compactMap({ $0.ahead.first?.deviceTime }).min(),
                due <= plan.recording?.times.upperBound ?? due
            else {
                if let recording = plan.recording {
                    guard recording.loops else { break }
                    return recording.times.lowerBound
                }
                try await waitForMore(after: end)
                continue
            }
            let offset = Duration.seconds(due.seconds(since: start) / speed)
            guard try await wait(until: origin + offset) else { break }
            let passed = (ContinuousClock.now - origin + Self.tick).seconds * speed
            let shown = start.advanced(bySeconds: min(passed, 1e9))
            guard try await publish(&lines, through: max(due, shown)) else { return nil }
        }
        end(.over)
        return nil
    }

    /// The end, or a live session's newest.
    private func waitForMore(after end: RecordOffset) async throws {
        try await Task.sleep(for: .seconds(1))
        // What a delay lets through comes with time, not with new records.
        guard plan.members.allSatisfy({ $0.delaySeconds == 0 }) else { return }
        _ = await reader.log.waitUntilWritten(through: end, onFailure: .keepWaiting)
        try Task.checkCancellation()
    }

    /// - Returns: `false` when the owner has ended it meanwhile.
    private func wait(until due: ContinuousClock.Instant) async throws -> Bool {
        while due > .now {
            try await Task.sleep(until: min(due, .now + .seconds(1)))
            guard isWanted() else { return false }
        }
        try Task.checkCancellation()
        return isWanted()
    }

    /// - Returns: Whether anybody watches.
    private func publish(_ lines: inout [Line], through time: Timestamp) async throws -> Bool {
        var updates: [(FeedKey, [SessionUpdate])] = []
        for index in lines.indices {
            let due = lines[index].ahead.prefix { $0.deviceTime <= time }
            guard let last = due.last else { continue }
            lines[index].ahead.removeFirst(due.count)
            state.position = max(state.position, last.deviceTime)
            let key = FeedKey(lines[index].share.key, playback: plan.number)
            updates.append((key, due.map(\.update)))
        }
        let published = updates
        let isWatched = await reader.mailbox.ask { core in core.publish(published) } ?? false
        try Task.checkCancellation()
        if !isWatched { end(.unwatched) }
        return isWatched
    }
}

extension Duration {
    fileprivate var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
