package import SegmentLog
package import SensorModel
package import Sharing
import WireFormat

/// Reads the shown part of a recorded session: the log through a projection, from any position. The
/// cost does not depend on how much of the session lies before it. Blocks on the disk.
package struct ShownRecords: Sendable {
    package let session: SessionID
    package let rule: ProjectionRule
    let reader: LogReader
    let epoch: UInt32
    private let index: ProjectionIndex?
    let first: RecordOffset
    /// The session's number of records when this was made.
    private let records: Int
    private let indexNow: @Sendable () throws(SegmentLogError) -> ProjectionIndex?
    /// Called between records: `true` ends the reading.
    private let isCancelled: @Sendable () -> Bool

    /// - Parameters:
    ///   - summary: Summary of the session.
    ///   - rule: Rule of the share.
    ///   - index: Index of that session and rule; `nil`: none is needed, or reading begins with the
    ///     session.
    ///   - reader: Reader of the log.
    ///   - epoch: Epoch of the log.
    ///   - indexNow: The index with the newest records, called before each reading; `nil`: it may
    ///     be behind, and what is held back is read again.
    ///   - isCancelled: Called between records; `true` ends the reading.
    package init(
        _ summary: SessionSummary, rule: ProjectionRule, index: ProjectionIndex?,
        reader: LogReader, epoch: UInt32,
        indexNow: @escaping @Sendable () throws(SegmentLogError) -> ProjectionIndex? = { nil },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        session = summary.session
        first = summary.firstOffset
        records = summary.records
        self.indexNow = indexNow
        self.rule = rule
        self.index = index
        self.reader = reader
        self.epoch = epoch
        self.isCancelled = isCancelled
    }

    /// The state of one reading, from which the next continues.
    package struct Position: Sendable {
        /// The first record that was not read.
        package internal(set) var next: RecordOffset
        var projection: SessionProjection
        /// The reader already has everything shown up to here.
        var after: RecordOffset?
        /// Events that were found but not yet taken.
        var found: ArraySlice<ShownEvent> = []

        /// Approximate bytes of memory, which limit a cache.
        package var bytes: Int { projection.bytes + projection.heldBytes }
    }

    /// Why a reading ended.
    package enum Ending: Hashable, Sendable {
        /// Everything that may be shown now was shown.
        case complete
        /// The reader stopped.
        case stopped
        case cancelled
    }

    /// The position from which to read what is shown after an offset; `nil`: everything.
    package func position(after offset: RecordOffset?) -> Position {
        guard let offset else { return position(from: nil, after: nil) }
        guard rule != .everything else {
            let next = RecordOffset(rawValue: max(first.rawValue, offset.rawValue &+ 1))
            return Position(next: next, projection: SessionProjection(rule), after: offset)
        }
        return position(from: index?.checkpoint(before: offset), after: offset)
    }

    /// Continues from a checkpoint; without one, from the session's beginning.
    private func position(
        from checkpoint: ProjectionIndex.Checkpoint?, after offset: RecordOffset?
    ) -> Position {
        var projection = checkpoint?.projection ?? SessionProjection(rule)
        if let index { projection.use(index.verdicts(of: records)) }
        return Position(next: checkpoint?.next ?? first, projection: projection, after: offset)
    }

    /// Visits the shown events from a position on.
    ///
    /// - Parameters:
    ///   - position: Moved after the taken events.
    ///   - last: The last record to read; `nil`: the session's last.
    ///   - arrivedBy: Later arrivals are still held back from the share; `nil`: none are.
    ///   - now: Arrival clock.
    ///   - body: Receives each shown event; `false` refuses the event and stops.
    /// - Returns: Why the reading ended.
    /// - Throws: ``SegmentLogError``
    @discardableResult
    package func read(
        from position: inout Position, through last: RecordOffset? = nil, arrivedBy: Timestamp?,
        now: Timestamp, _ body: (ShownEvent) -> Bool
    ) throws(SegmentLogError) -> Ending {
        var ending = position.give(arrivedBy: arrivedBy, body)
        guard ending == nil else { return ending ?? .complete }
        guard !isCancelled() else { return .cancelled }
        var shown: [ShownEvent] = []
        let now = reader.decidable(at: now)
        let index = try indexNow()
        if let index { position.projection.use(index.verdicts) }
        let held = index?.firstHeld(at: now)
        let end = last.map { RecordOffset(rawValue: $0.rawValue + 1) }
        try reader.read(
            from: position.next, until: [held, end].compactMap(\.self).min(), session: session,
            gap: { gap in SessionProjection.Mark(gap).map { position.projection.note($0) } }
        ) { header, payload in
            if isCancelled() {
                ending = .cancelled
                return false
            }
            ending = position.take(
                header, payload, arrivedBy: arrivedBy, using: &shown, body)
            return ending == nil
        }
        guard ending == nil else { return ending ?? .complete }
        return position.advance(to: now, arrivedBy: arrivedBy, using: &shown, body) ?? .complete
    }

    /// The first event that was shown. With an index only the records around it are read.
    ///
    /// - Parameters:
    ///   - arrivedBy: Later arrivals are still held back from the share; `nil`: none are.
    ///   - now: Arrival clock.
    /// - Returns: The event, `nil`: nothing was shown; and why the reading ended.
    /// - Throws: ``SegmentLogError``
    package func firstShown(
        arrivedBy: Timestamp?, now: Timestamp
    ) throws(SegmentLogError) -> (event: ShownEvent?, ending: Ending) {
        var first: ShownEvent?
        var position = position(from: index?.checkpointBeforeShown, after: nil)
        let ending = try read(from: &position, arrivedBy: arrivedBy, now: now) { shown in
            first = shown
            return false
        }
        return (first, ending)
    }

    // MARK: A moment

    /// - Parameter time: Device time.
    /// - Returns: A position from which all events shown from then on are read; some earlier ones
    ///   may precede them.
    /// - Throws: ``SegmentLogError``
    package func position(at time: Timestamp) throws(SegmentLogError) -> Position {
        if rule == .everything {
            return position(after: try reader.newest(.snapshot, of: session, notAfter: time))
        }
        let before = index?.checkpointBeforeShown
        let checkpoint = index?.checkpoint(notAfter: time, arrivedBy: nil)
        let skipsHidden = before.map { $0.next > checkpoint?.next ?? first } ?? false
        return position(from: skipsHidden ? before : checkpoint, after: nil)
    }

    /// What is shown: the device times, and the last record of it. Without a rule that hides
    /// anything, `summary` tells. Hidden records do not count: the time of an answer that counts
    /// back from here would reveal them.
    ///
    /// - Parameters:
    ///   - summary: Summary of the session.
    ///   - arrivedBy: Later arrivals are still held back from the share; `nil`: none are.
    /// - Returns: `nil` if nothing is shown.
    package func shown(
        of summary: SessionSummary, arrivedBy: Timestamp?
    ) -> (times: ClosedRange<Timestamp>, through: RecordOffset?)? {
        guard rule != .everything else {
            guard let times = summary.deviceTimes else { return nil }
            let newest = summary.arrivalTimes.upperBound
            let heldSeconds = arrivedBy.map { max(0, newest.seconds(since: $0)) } ?? 0
            let end = times.upperBound.advanced(bySeconds: -heldSeconds)
            return (times.lowerBound...max(times.lowerBound, end), nil)
        }
        return index?.shown(arrivedBy: arrivedBy).map { ($0.times, $0.through) }
    }

    /// The latched values as they were shown at a moment.
    ///
    /// - Parameters:
    ///   - time: Device time; a time before the first shown event selects that event.
    ///   - arrivedBy: Later arrivals are still held back from the share; `nil`: none are.
    ///   - now: Arrival clock.
    /// - Returns: The fields, and the position behind them; `nil` if there is nothing to show.
    /// - Throws: ``SegmentLogError``
    package func fields(
        at time: Timestamp, arrivedBy: Timestamp?, now: Timestamp
    ) throws(SegmentLogError) -> (fields: SessionFields, position: Position)? {
        var (fields, position, hasShown) = try start(at: time, arrivedBy: arrivedBy)
        // Encoding is most of the work, and only the last metrics are seen.
        var newest: ShownEvent?
        try read(from: &position, arrivedBy: arrivedBy, now: now) { shown in
            guard shown.event.deviceTime <= time || !hasShown else { return false }
            // The first event says when the session started.
            guard hasShown else {
                _ = fields.take(shown.event, at: shown.offset)
                hasShown = true
                return true
            }
            if let before = newest, !shown.event.kind.replaces(before.event.kind) {
                _ = fields.take(before.event, at: before.offset)
            }
            newest = shown
            return true
        }
        if let newest { _ = fields.take(newest.event, at: newest.offset) }
        return hasShown ? (fields, position) : nil
    }

    private func start(
        at time: Timestamp, arrivedBy: Timestamp?
    ) throws(SegmentLogError) -> (SessionFields, Position, hasShown: Bool) {
        if rule == .everything {
            return try startAtSnapshot(notAfter: time, arrivedBy: arrivedBy)
        }
        guard let checkpoint = index?.checkpoint(notAfter: time, arrivedBy: arrivedBy) else {
            return (SessionFields(session: session, epoch: epoch), position(after: nil), false)
        }
        let progress = checkpoint.projection.progress
        return (
            SessionFields(session: session, epoch: epoch, after: progress),
            position(from: checkpoint, after: progress.newest?.offset),
            progress.newest != nil
        )
    }

    /// Device time of the session's first event; `nil`: it has none.
    private func startedAt() throws(SegmentLogError) -> Timestamp? {
        var startedAt: Timestamp?
        try reader.read(from: first, session: session) { header, payload in
            guard header.type == .metric || header.type == .event else { return true }
            startedAt = (try? StreamEventCodec.decode(payload))?.deviceTime
            return startedAt == nil
        }
        return startedAt
    }

    /// Starts at a snapshot: once a minute the log contains all latched values.
    private func startAtSnapshot(
        notAfter time: Timestamp, arrivedBy: Timestamp?
    ) throws(SegmentLogError) -> (SessionFields, Position, hasShown: Bool) {
        var fields = SessionFields(session: session, epoch: epoch)
        var time = time
        while let offset = try reader.newest(.snapshot, of: session, notAfter: time) {
            var events: [StreamEvent]?
            var retry: Timestamp?
            try reader.read(from: offset, session: session) { header, payload in
                guard header.offset == offset else { return false }
                if let arrivedBy, header.arrivalTime > arrivedBy {
                    // Both clocks run equally fast except in backlogs, which need further steps.
                    let excess = header.arrivalTime.microseconds - arrivedBy.microseconds
                    retry = header.deviceTime.advanced(byMicroseconds: -max(1, excess))
                } else {
                    events = try? SnapshotCodec.decode(payload)
                }
                return false
            }
            if let retry {
                time = retry
                continue
            }
            guard let events else { break }
            fields.restore(
                events, at: offset, startedAt: try startedAt() ?? events.first?.deviceTime ?? time)
            var position = position(after: offset)
            position.after = offset
            return (fields, position, true)
        }
        return (fields, position(after: nil), false)
    }
}

extension StreamEvent.Kind {
    /// Whether an event makes the one right before it redundant. Metrics are complete, but an alert
    /// that ended and a missing heart rate leave a trace.
    fileprivate func replaces(_ before: StreamEvent.Kind) -> Bool {
        guard case .metrics(let now) = self, case .metrics(let old) = before else { return false }
        return (old.activeAlerts.isEmpty || old.activeAlerts == now.activeAlerts)
            && (old.heartRate == nil || now.heartRate != nil)
    }
}
