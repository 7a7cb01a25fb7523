package import SegmentLog
package import SensorModel
package import Sharing

/// The events that a reconnecting viewer has missed: those after its cursor, in parts, in the order
/// of cursors. Pure except for reading.
///
///     place known? ──no──▶ gap
///         │yes
///     snapshot, then parts of events ──▶ caught up
package struct CatchUp: Sendable {
    /// One source's reading of one session.
    private struct Reading: Hashable {
        let source: Int
        let session: SessionID
    }

    /// Events per part handed to a socket.
    package static let partMax = 128

    package let sources: [Source]
    /// The last record that must be readable.
    package let needed: RecordOffset
    private let encoders: [HistoryEncoder]
    private let partMax: Int
    /// Everything up to here was sent.
    private var after: RecordOffset
    /// First offsets of sessions that were looked at.
    private var firsts: [SessionID: RecordOffset] = [:]
    /// Readings of which everything was sent; by source, since two may show one session.
    private var done: Set<Reading> = []
    /// Whether no more events follow.
    package private(set) var isComplete = false

    /// - Parameters:
    ///   - sources: The share, or a group's members.
    ///   - after: The viewer's cursor.
    ///   - newest: The log's newest record.
    ///   - epoch: Epoch of the log.
    ///   - inGroup: Whether events carry the runner's name.
    ///   - partMax: Events per part; fewer in tests.
    package init(
        _ sources: [Source], after: RecordOffset, newest: RecordOffset, epoch: UInt32,
        inGroup: Bool, partMax: Int = CatchUp.partMax
    ) {
        self.sources = sources
        // If something is hidden, later records, or a time without any, decided what is shown.
        needed =
            sources.contains { $0.rule != .everything }
            ? newest : sources.map(\.end).max() ?? after
        self.partMax = partMax
        self.after = after
        encoders = sources.map {
            HistoryEncoder(
                epoch: epoch, scope: $0.share.scope,
                runnerName: inGroup ? $0.share.runnerName : nil)
        }
    }

    /// Reads the next part. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - now: Arrival clock.
    ///   - records: Records of a session by a rule; `nil` if the session does not exist any more.
    /// - Returns: A bounded number of events; none if it is complete, or the reading was cancelled.
    /// - Throws: ``SegmentLogError``; the missed events are then unknown.
    package mutating func nextPart(
        at now: Timestamp,
        records: (SessionID, ProjectionRule) throws(SegmentLogError) -> ShownRecords?
    ) throws(SegmentLogError) -> [(cursor: LogCursor, json: [UInt8])] {
        guard !isComplete else { return [] }
        var part: [(cursor: LogCursor, json: [UInt8])] = []
        /// After this offset a source may have unread events.
        var known: RecordOffset?
        /// Sessions read to their end, with their last event.
        var read: [(reading: Reading, newest: RecordOffset?)] = []
        for (index, encoder) in encoders.enumerated() {
            let source = sources[index]
            for session in source.sessions {
                let reading = Reading(source: index, session: session)
                // A session that begins after the part is read with a later part; otherwise each
                // part would read all later sessions.
                guard !done.contains(reading), !isBehind(known, session),
                    let records = try records(session, source.rule)
                else { continue }
                firsts[session] = records.first
                guard !isBehind(known, session) else { continue }
                let count = part.count
                let (last, ending) = try self.read(
                    records, of: source, at: now, encoder, into: &part)
                guard ending != .cancelled else { return [] }
                if let last {
                    known = min(last, known ?? last)
                } else {
                    read.append((reading, part[count...].last?.cursor.offset))
                }
            }
        }
        part.sort { $0.cursor < $1.cursor }
        if let known { part.removeAll { $0.cursor.offset > known } }
        if part.count > partMax {
            part.removeLast(part.count - partMax)
        } else if known == nil {
            isComplete = true
        }
        if let last = part.last { after = last.cursor.offset }
        for (reading, newest) in read where newest.map({ $0 <= after }) ?? true {
            done.insert(reading)
        }
        return part
    }

    private func isBehind(_ known: RecordOffset?, _ session: SessionID) -> Bool {
        guard let known, let first = firsts[session] else { return false }
        return first > known
    }

    /// - Returns: The last offset of a full part, `nil`: the session has no more; and why the
    ///   reading ended.
    private func read(
        _ records: ShownRecords, of source: Source, at now: Timestamp, _ encoder: HistoryEncoder,
        into part: inout [(cursor: LogCursor, json: [UInt8])]
    ) throws(SegmentLogError) -> (last: RecordOffset?, ending: ShownRecords.Ending) {
        var position = records.position(after: after)
        var count = 0
        var last: RecordOffset?
        let ending = try records.read(
            from: &position, arrivedBy: source.shownArrivals(at: now), now: now
        ) { shown in
            guard shown.offset <= source.end else { return false }
            if case .metrics = shown.event.kind { return true }
            guard let json = encoder.item(of: shown.event, at: shown.offset) else { return true }
            guard count < partMax else { return false }
            count += 1
            part.append((LogCursor(epoch: records.epoch, offset: shown.offset), json))
            if count == partMax { last = shown.offset }
            return true
        }
        return (last, ending)
    }
}
