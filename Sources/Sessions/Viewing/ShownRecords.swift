package import SegmentLog
package import SensorModel
package import Sharing
import Replay
import WireFormat

/// Reads what is shown of a recorded session: the log behind a projection, from anywhere in it, at a
/// cost that does not depend on how much of the session lies before. Blocks on the disk.
package struct ShownRecords: Sendable {
    package let session: SessionID
    package let rule: ProjectionRule
    let reader: LogReader
    let epoch: UInt32
    private let index: ProjectionIndex?
    private let first: RecordOffset
    /// Asked between records: `true` ends the reading.
    private let isCancelled: @Sendable () -> Bool

    /// - Parameters:
    ///   - summary: Of the session.
    ///   - rule: Of the share.
    ///   - index: Of that session and rule; `nil`: none is needed, or reading begins with the session.
    ///   - reader: Of the log.
    ///   - epoch: Of the log.
    ///   - isCancelled: Asked between records; `true` ends the reading.
    package init(
        _ summary: SessionSummary, rule: ProjectionRule, index: ProjectionIndex?,
        reader: LogReader, epoch: UInt32, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        session = summary.session
        first = summary.firstOffset
        self.rule = rule
        self.index = index
        self.reader = reader
        self.epoch = epoch
        self.isCancelled = isCancelled
    }

    /// Where one reading is; the next goes on from there.
    package struct Position: Sendable {
        /// The first record that was not read.
        fileprivate(set) var next: RecordOffset
        fileprivate var projection: SessionProjection
        /// What is shown up to here the reader has.
        fileprivate var after: RecordOffset?
        /// Found, and not taken yet.
        fileprivate var found: ArraySlice<ShownEvent> = []
    }

    /// Why a reading ended.
    package enum Ending: Hashable, Sendable {
        /// All that may be shown now was.
        case complete
        /// The reader wanted no more.
        case stopped
        case cancelled
    }

    /// Where reading can begin for what is shown after an offset; `nil`: for all.
    package func position(after offset: RecordOffset?) -> Position {
        guard let offset else {
            return Position(next: first, projection: SessionProjection(rule), after: nil)
        }
        guard rule != .everything else {
            let next = RecordOffset(rawValue: max(first.rawValue, offset.rawValue &+ 1))
            return Position(next: next, projection: SessionProjection(rule), after: offset)
        }
        let checkpoint = index?.checkpoint(before: offset)
        return Position(
            next: checkpoint?.next ?? first,
            projection: checkpoint?.projection ?? SessionProjection(rule), after: offset)
    }

    /// Visits what is shown from a position on.
    ///
    /// - Parameters:
    ///   - position: Moved behind what was taken.
    ///   - arrivedBy: What came later is still held back from the share; `nil`: nothing is.
    ///   - now: Arrival clock.
    ///   - body: Gets each shown event; `false`: no more, and not this one.
    /// - Returns: Why there was no more.
    /// - Throws: ``SegmentLogError``
    @discardableResult
    package func read(
        from position: inout Position, arrivedBy: Timestamp?, now: Timestamp,
        _ body: (ShownEvent) -> Bool
    ) throws(SegmentLogError) -> Ending {
        var ending = give(&position, arrivedBy: arrivedBy, body)
        guard ending == nil else { return ending ?? .complete }
        guard !isCancelled() else { return .cancelled }
        var shown: [ShownEvent] = []
        try reader.read(from: position.next, session: session) { header, payload in
            if isCancelled() {
                ending = .cancelled
                return false
            }
            guard header.type == .metric || header.type == .event else { return true }
            // A later record may release what is held back, and nothing else.
            if let arrivedBy, header.arrivalTime > arrivedBy, !rule.holdsBack {
                ending = .complete
                return false
            }
            position.next = RecordOffset(rawValue: header.offset.rawValue + 1)
            // One unreadable record does not end the show.
            guard let event = try? StreamEventCodec.decode(payload) else { return true }
            shown.removeAll(keepingCapacity: true)
            position.projection.take(
                event, at: header.offset, arrival: header.arrivalTime, into: &shown)
            position.found = shown[...]
            ending = give(&position, arrivedBy: arrivedBy, body)
            return ending == nil
        }
        guard ending == nil else { return ending ?? .complete }
        shown.removeAll(keepingCapacity: true)
        position.projection.advance(to: now, into: &shown)
        position.found = shown[...]
        return give(&position, arrivedBy: arrivedBy, body) ?? .complete
    }

    /// - Returns: `nil`: all was taken.
    private func give(
        _ position: inout Position, arrivedBy: Timestamp?, _ body: (ShownEvent) -> Bool
    ) -> Ending? {
        while let event = position.found.first {
            if position.after.map({ event.offset > $0 }) ?? true {
                if let arrivedBy, event.arrival > arrivedBy { return .complete }
                guard body(event) else { return .stopped }
                position.after = event.offset
            }
            position.found.removeFirst()
        }
        return nil
    }

    // MARK: A moment

    /// - Parameter time: Device time.
    /// - Returns: Where reading can begin to have all that is shown from then on; some of it may be
    ///   of before.
    /// - Throws: ``SegmentLogError``
    package func position(at time: Timestamp) throws(SegmentLogError) -> Position {
        if rule == .everything {
            return position(after: try reader.newest(.snapshot, of: session, notAfter: time))
        }
        guard let checkpoint = index?.checkpoint(notAfter: time, arrivedBy: nil) else {
            return position(after: nil)
        }
        return Position(
            next: checkpoint.next, projection: checkpoint.projection, after: nil)
    }

    /// Every latched value as it was shown at a moment.
    ///
    /// - Parameters:
    ///   - time: Device time; before the first shown event it means that.
    ///   - arrivedBy: What came later is still held back from the share; `nil`: nothing is.
    ///   - now: Arrival clock.
    /// - Returns: The fields, and where reading goes on behind them; `nil` when there is nothing to show.
    /// - Throws: ``SegmentLogError``
    package func fields(
        at time: Timestamp, arrivedBy: Timestamp?, now: Timestamp
    ) throws(SegmentLogError) -> (fields: SessionFields, position: Position)? {
        var (fields, position, hasShown) = try start(at: time, arrivedBy: arrivedBy)
        try read(from: &position, arrivedBy: arrivedBy, now: now) { shown in
            guard shown.event.deviceTime <= time || !hasShown else { return false }
            _ = fields.take(shown.event, at: shown.offset)
            hasShown = true
            return true
        }
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
        let position = Position(
            next: checkpoint.next, projection: checkpoint.projection,
            after: progress.newest?.offset)
        return (
            SessionFields(session: session, epoch: epoch, after: progress), position,
            progress.newest != nil
        )
    }

    /// The log holds everything that is latched once a minute.
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
                    // Both clocks run alike but for backlogs: there it takes another step.
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
            for event in events { _ = fields.take(event, at: offset) }
            var position = position(after: offset)
            position.after = offset
            return (fields, position, true)
        }
        return (fields, position(after: nil), false)
    }
}

extension ProjectionRule {
    /// Whether an event may be shown after records that came later.
    fileprivate var holdsBack: Bool {
        if case .hiding(let settings) = self { settings.trimFinishMeters > 0 } else { false }
    }
}
