import FaultyDisk
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Synchronization

/// Returning viewers and sessions that are read back: production parts in the daemon's order, with
/// reads beside the pipeline's turns.
extension World {
    /// The wait for the disk, longer than a reader's.
    private static let waitMicroseconds: Int64 = 10_000_000

    func resume(_ viewer: Life.Viewer, after cursor: LogCursor) {
        guard let watcher = life.watchers[viewer] else { return }
        life.log.flush()
        let source = source(of: spectators[viewer.index].share, after: cursor.offset)
        add(.place(viewer, number: watcher.number, cursor, source))
    }

    private func source(of share: Share, after: RecordOffset) -> CatchUp.Source {
        let flow = life.flow
        return CatchUp.Source(
            share: share, privacy: privacy(of: share).settings,
            sessions: flow.hub.sessions(openTo: share, after: after, at: flow.now),
            end: flow.cursor.offset)
    }

    private func catchUp(_ viewer: Life.Viewer, after: RecordOffset) {
        let flow = life.flow
        let source = source(of: spectators[viewer.index].share, after: after)
        guard let number = life.watchers[viewer]?.number,
            let snapshot = flow.hub.snapshot(source.share.key, cursor: flow.cursor, at: flow.now)
        else { return }
        let missed = flow.hub.missed(
            of: source.share, before: snapshot, cursor: flow.cursor,
            hides: source.rule != .everything)
        life.log.flush()
        let catchUp = CatchUp(
            [
                CatchUp.Source(
                    share: source.share, privacy: source.privacy, sessions: source.sessions,
                    end: missed.through)
            ], after: after, newest: flow.cursor.offset, epoch: life.log.epoch, inGroup: false,
            partMax: 1 + random.below(12))
        life.watchers[viewer]?.catchUpAfter = after
        life.watchers[viewer]?.catchUpBegan = now
        let wait = max(0, (missed.due ?? flow.now).microseconds - flow.now.microseconds)
        add(.part(viewer, number: number, catchUp), after: wait)
    }

    /// Continues the catch-ups of viewers whose sockets have accepted all pending bytes.
    func continueCatchUps() {
        for viewer in life.asking {
            guard let watcher = life.watchers[viewer], let catchUp = watcher.catchUp else {
                continue
            }
            life.watchers[viewer]?.catchUp = nil
            if catchUp.isComplete {
                caughtUp(viewer, catchUp)
            } else {
                add(.part(viewer, number: watcher.number, catchUp))
            }
        }
        life.asking = []
    }

    private func caughtUp(_ viewer: Life.Viewer, _ catchUp: CatchUp) {
        guard let watcher = life.watchers[viewer] else { return }
        push(
            .caughtUp(
                viewer, catchUp, after: watcher.catchUpAfter, began: watcher.catchUpBegan),
            to: viewer)
    }

    func add(_ reading: Life.Reading, after wait: Int64 = 0) {
        life.tasks.append(
            Life.Task(
                reading: reading, due: steady + wait,
                deadline: steady + wait + Self.waitMicroseconds))
    }

    // MARK: Beside the pipeline

    /// Runs some of the pending reads in any order; results wait for the next turn.
    func readAside() throws {
        for rebuilding in life.complaints.rebuildings { add(.session(rebuilding)) }
        life.complaints.rebuildings = []
        let tasks = life.tasks.shuffled(using: &random)
        life.tasks = []
        for task in tasks {
            guard task.due <= steady, isWell || random.happens(percent: 60), try run(task) else {
                life.tasks.append(task)
                continue
            }
        }
    }

    /// - Returns: `false` if the task must wait.
    private func run(_ task: Life.Task) throws -> Bool {
        let isLate = task.deadline <= steady
        switch task.reading {
        case .session(let rebuilding): return try run(rebuilding)
        case .place(let viewer, let number, let cursor, let source):
            guard isReadable(cursor.offset) || isLate || source.share.delaySeconds > 0 else {
                return false
            }
            let isShown = self.isShown(cursor, by: source)
            say(
                "the place \(cursor) of viewer \(viewer.index) is \(isShown ? "known" : "not known")"
            )
            life.posts.append { world in
                guard world.life.watchers[viewer]?.number == number else { return }
                let isLoading =
                    isShown && source.rule != .everything && world.isLoading(source.share)
                guard !isLoading || isLate else { return world.life.tasks.append(task) }
                let isShown = isShown && !isLoading
                world.begin(viewer, isShown ? .after(cursor) : .gap)
                if isShown { world.catchUp(viewer, after: cursor.offset) }
            }
        case .erasure(let session): try erase(session)
        case .part(let viewer, let number, let catchUp):
            guard isReadable(catchUp.needed) || isLate else { return false }
            let part = nextPart(of: catchUp)
            life.posts.append { world in
                guard world.life.watchers[viewer]?.number == number else { return }
                world.took(part, viewer)
            }
        }
        return true
    }

    private func run(_ rebuilding: RebuildTicket) throws -> Bool {
        guard life.log.writtenEnd >= rebuilding.end else { return false }
        let hasFault = breakReads()
        defer { mendReads() }
        do {
            let read = try rebuilding.run(life.log.reader(), epoch: life.log.epoch)
            guard let read else { return false }
            say("session \(rebuilding.session) is read")
            life.posts.append { $0.life.flow.resume(rebuilding, with: read) }
            return true
        } catch {
            if hasFault { return false }
            // All of it was erased, or removed by retention.
            guard case .unknownSession = error, ledger.hasLost(rebuilding.session) else {
                throw Violation("a session cannot go on: \(error)")
            }
            life.posts.append { $0.life.flow.giveUp(rebuilding) }
            return true
        }
    }

    private func isLoading(_ share: Share) -> Bool {
        let shown = life.flow.hub.session(shownBy: share, at: now)
        return shown.flatMap { life.flow.known($0, isRecorded: false) }
            .map { $0.computation == nil } ?? false
    }

    private func isReadable(_ offset: RecordOffset) -> Bool { life.log.writtenEnd > offset }

    private func isShown(_ cursor: LogCursor, by source: CatchUp.Source) -> Bool {
        let log = life.log
        guard cursor.epoch == log.epoch,
            cursor.offset < log.nextOffset || cursor.offset.rawValue == 0,
            source.share.delaySeconds > 0 || isReadable(cursor.offset)
        else { return false }
        _ = breakReads()
        defer { mendReads() }
        let place = CursorPlace(log: log, now: now) { device, offset in
            log.sessions(of: device).filter {
                $0.firstOffset <= offset
                    && offset.rawValue <= $0.lastOffset.rawValue + CursorPlace.endingsMax
            }
        }
        let isShown = try? place.isShown(cursor, by: [source]) {
            session, rule throws(SegmentLogError) in try records(of: session, by: rule)
        }
        // An unreadable cursor is treated as unknown and answered with a gap.
        return isShown ?? false
    }

    private func nextPart(
        of catchUp: CatchUp
    ) -> (catchUp: CatchUp, events: [(cursor: LogCursor, json: [UInt8])])? {
        guard isReadable(catchUp.needed) else { return nil }
        _ = breakReads()
        defer { mendReads() }
        var catchUp = catchUp
        // An unreadable part is `nil`; the viewer is told of a gap.
        let part = try? catchUp.nextPart(at: now) { session, rule throws(SegmentLogError) in
            try records(of: session, by: rule)
        }
        return part.map { (catchUp, $0) }
    }

    private func took(
        _ part: (catchUp: CatchUp, events: [(cursor: LogCursor, json: [UInt8])])?,
        _ viewer: Life.Viewer
    ) {
        guard let part else {
            say("what viewer \(viewer.index) missed cannot be read")
            leaveFeeds(viewer)
            return begin(viewer, .gap)
        }
        guard !part.events.isEmpty else { return caughtUp(viewer, part.catchUp) }
        life.watchers[viewer]?.catchUp = part.catchUp
        push(.part(viewer, part.events), to: viewer)
    }

    // MARK: The disk

    /// - Returns: Whether one of the next reads fails.
    func breakReads() -> Bool {
        guard !isWell, random.happens(percent: 15) else { return false }
        let reads = random.below(4)
        disk.state.withLock { $0.readsUntilFault = reads }
        return true
    }

    func mendReads() { disk.state.withLock { $0.readsUntilFault = nil } }

    func records(
        of session: SessionID, by rule: ProjectionRule
    ) throws(SegmentLogError) -> ShownRecords? {
        guard let summary = life.log.summary(of: session) else { return nil }
        let reader = life.log.reader()
        var index: ProjectionIndex?
        if rule != .everything, random.happens(percent: 70) {
            let reading = Life.IndexReading(session: session, rule: rule)
            index = life.indexes[reading]
            if index?.isAhead(of: now) ?? true || random.happens(percent: 50) {
                index = try ProjectionIndex.reading(
                    summary, rule: rule, extending: index, reader: reader,
                    now: now)
                life.indexes[reading] = index
            }
        }
        let (log, now, isFresh) = (life.log, now, random.happens(percent: 50))
        return ShownRecords(
            summary, rule: rule, index: index, reader: reader, epoch: log.epoch,
            indexNow: { [index] () throws(SegmentLogError) in
                guard isFresh, let index, let summary = log.summary(of: session) else {
                    return nil
                }
                return try ProjectionIndex.reading(
                    summary, rule: rule, extending: index, reader: reader, now: now)
            })
    }
}
