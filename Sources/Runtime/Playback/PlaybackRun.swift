import Logging
import Replay
import SegmentLog
package import SensorModel
import Sessions
package import Sharing

/// Plays recordings to their viewers: reads a little ahead, and passes each update to the pipeline
/// when it is due.
///
///     read ─▶ snapshot ─▶ wait until due ─▶ update ─┐
///      ▲          ▲             └──────◀────────────┘
///      └── seek ──┴── pause, speed
///
/// If commands come fast, only the newest takes effect.
package actor PlaybackRun {
    /// Recording and audience of a playback.
    package struct Plan: Sendable {
        /// Unique number among the playbacks of this daemon.
        package var number: UInt64
        /// A share of one device, or a group's members.
        package var members: [Share]
        /// Party that waits its turn to read the log: the link by which the playback is watched.
        package var party: ReadParty
        package var reader: ReadRequester
        /// The owner's playback; `nil`: the session that the share shows.
        package var recording: SharePlayback?
        var audience: PipelineCore.PlaybackAudience

        package var keys: [FeedKey] { members.map { FeedKey($0.key, playback: number) } }
    }

    /// Reason for the end of a run; reported once.
    package enum Ending: Sendable {
        /// There was nothing to show, or the owner's recording is complete.
        case over
        /// There are no viewers left.
        case unwatched
    }

    package struct State: Sendable {
        /// Position, device time.
        package var position: Timestamp
        package var speed: Double
        var isPaused = false
    }

    /// Shortest interval between two starts: a few a second.
    private static let restartInterval = Duration.milliseconds(250)
    /// Updates within this time are passed on together.
    private static let tick = Duration.milliseconds(20)
    /// Updates read ahead, of all members together.
    private static let aheadMax = 128

    package nonisolated let plan: Plan
    private let reader: ShareReader
    private let isWanted: @Sendable () -> Bool
    private let ended: @Sendable (Ending) -> Void
    private var state: State
    /// Delay until a refused read is retried.
    private static let retryAfter = Duration.milliseconds(500)

    private var task: Task<Void, Never>?
    private var lastStart: ContinuousClock.Instant?
    private var restart: Task<Void, Never>?
    private var isOver = false

    /// - Parameters:
    ///   - plan: Recording and audience.
    ///   - state: Initial position and speed.
    ///   - reader: Reader of the log.
    ///   - isWanted: Checked once a second: the owner may have ended the playback.
    ///   - ended: Called once, unless the run is stopped from outside.
    package init(
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

    /// Starts, or restarts with the current state; delayed if it has just started.
    package func start() {
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

    package func obey(_ commands: [PlaybackCommand]) {
        for command in commands {
            switch command {
            case .seek(let time):
                // The owner's range limits the position.
                let range = plan.recording?.times ?? time...time
                state.position = min(max(time, range.lowerBound), range.upperBound)
            case .pause(let paused): state.isPaused = paused
            case .speed(let speed): state.speed = speed
            case .live: return
            }
        }
        start()
    }

    package func stop() {
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

    private struct Part: Sendable {
        let share: Share
        var source: RecordingSource
        /// Device time of the first visible value.
        let begins: Timestamp
        var ahead: ArraySlice<RecordingSource.Timed> = []
    }

    private func run(_ state: State) async {
        do {
            var position = state.position
            while true {
                guard let parts = try await begin(at: position) else { return end(.over) }
                guard !state.isPaused else { return }
                // A wait for the first visible value would reveal how long the runner was hidden.
                let start = max(position, parts.map(\.begins).min() ?? position)
                guard let again = try await play(parts, from: start, speed: state.speed) else {
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

    /// Shows the state of all members at one moment.
    ///
    /// - Returns: `nil` when there is nothing to show.
    private func begin(at time: Timestamp) async throws -> [Part]? {
        var parts: [Part] = []
        var shown: [(Share, ProjectionRule, SessionUpdate)] = []
        for share in plan.members {
            guard let (rule, source, everything) = try await begin(share, at: time) else {
                continue
            }
            parts.append(Part(share: share, source: source, begins: everything.time))
            shown.append((share, rule, everything))
        }
        guard !parts.isEmpty else { return nil }
        try Task.checkCancellation()
        let (plan, beginnings) = (plan, shown)
        let isWatched = await reader.mailbox.ask { core in
            core.begin(plan, with: beginnings)
        }
        // The privacy settings changed during the read.
        if case .some(nil) = isWatched { return try await begin(at: time) }
        guard isWatched == true else {
            end(.unwatched)
            throw CancellationError()
        }
        return parts
    }

    private func begin(
        _ share: Share, at time: Timestamp
    ) async throws -> (ProjectionRule, RecordingSource, SessionUpdate)? {
        let chosen = plan.recording?.session
        if chosen == nil { try await resolve(share) }
        let found = await reader.mailbox.ask { core -> (SessionID, ProjectionRule)? in
            core.log.flush()
            let session =
                chosen ?? core.hub.session(shownBy: core.current(share), at: core.now)
            guard let session, !core.isErasing(session) else { return nil }
            return (session, core.rule(for: share))
        }
        guard let (session, rule) = found ?? nil else { return nil }
        let reader = reader
        return try await read { ticket in
            guard let records = try reader.records(of: session, by: rule, ticket) else {
                return nil
            }
            let now = reader.clock()
            let begun = try RecordingSource.begin(
                records, in: share.scope, at: time,
                arrivedBy: share.shownArrivals(at: now), now: now)
            guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
            return begun.map { (rule, $0.source, $0.everything) }
        }
    }

    private func resolve(_ share: Share) async throws {
        try await whenAdmitted { [reader, plan] in
            try await reader.resolve([share], for: plan.party, from: plan.reader)
        }
    }

    /// Reads on a thread of the pool.
    private func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadPool.Ticket) throws -> Result
    ) async throws -> Result {
        try await whenAdmitted { [reader, plan] in
            try await reader.pool.run(for: plan.party, from: plan.reader, body)
        }
    }

    /// Retries while other reads come first; the viewer waits.
    private func whenAdmitted<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        while true {
            do {
                return try await body()
            } catch ReadRefusal.busy, ReadRefusal.tooMany {
                try await Task.sleep(for: Self.retryAfter)
            }
        }
    }

    private func fill(_ part: inout Part, _ limit: Int) async throws {
        let (source, share, clock) = (part.source, part.share, reader.clock)
        let read = try await read { ticket in
            var source = source
            let now = clock()
            let ahead = try source.next(
                limit, arrivedBy: share.shownArrivals(at: now), now: now)
            guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
            return (source, ahead)
        }
        part.source = read.0
        part.ahead = read.1[...]
    }

    // MARK: Playing

    /// - Returns: Position of the next round of a loop; `nil`: the playback is over.
    private func play(
        _ begun: [Part], from start: Timestamp, speed: Double
    ) async throws -> Timestamp? {
        var parts = begun
        let origin = ContinuousClock.now
        let limit = max(4, Self.aheadMax / parts.count)
        while true {
            let end = reader.log.writtenEnd
            for index in parts.indices where parts[index].ahead.isEmpty {
                try await fill(&parts[index], limit)
            }
            guard let due = parts.compactMap({ $0.ahead.first?.deviceTime }).min(),
                due <= plan.recording?.times.upperBound ?? due
            else {
                if let recording = plan.recording {
                    guard recording.loops else { break }
                    // A range without values would otherwise repeat without a pause.
                    try await Task.sleep(until: origin + .seconds(1))
                    return recording.times.lowerBound
                }
                try await waitForMore(after: end)
                continue
            }
            let offset = Duration.seconds(due.seconds(since: start) / speed)
            guard try await wait(until: origin + offset) else { break }
            let passed = (ContinuousClock.now - origin + Self.tick).seconds * speed
            let shown = start.advanced(bySeconds: min(passed, 1e9))
            guard try await publish(&parts, through: max(due, shown)) else { return nil }
        }
        end(.over)
        return nil
    }

    /// Waits for more records of a live session whose newest record is shown.
    private func waitForMore(after end: RecordOffset) async throws {
        try await Task.sleep(for: .seconds(1))
        // On a delayed share new values appear with time, not with new records.
        guard plan.members.allSatisfy({ $0.delaySeconds == 0 }) else { return }
        _ = await reader.log.waitUntilWritten(through: end, onFailure: .keepWaiting)
        try Task.checkCancellation()
    }

    /// - Returns: `false` when the owner has ended the playback meanwhile.
    private func wait(until due: ContinuousClock.Instant) async throws -> Bool {
        while due > .now {
            try await Task.sleep(until: min(due, .now + .seconds(1)))
            guard isWanted() else { return false }
        }
        try Task.checkCancellation()
        return isWanted()
    }

    /// - Returns: Whether the playback has viewers.
    private func publish(_ parts: inout [Part], through time: Timestamp) async throws -> Bool {
        var updates: [(FeedKey, [SessionUpdate])] = []
        for index in parts.indices {
            let due = parts[index].ahead.prefix { $0.deviceTime <= time }
            guard let last = due.last else { continue }
            parts[index].ahead.removeFirst(due.count)
            state.position = max(state.position, last.deviceTime)
            let key = FeedKey(parts[index].share.key, playback: plan.number)
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
