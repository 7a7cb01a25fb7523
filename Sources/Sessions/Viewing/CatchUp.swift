package import SegmentLog
package import SensorModel
package import Sharing

/// What a viewer that comes back has missed: the events after its cursor, part by part, in the order
/// of cursors. Pure but for reading.
///
///     place known? ──no──▶ gap
///         │yes
///     snapshot, then parts of events ──▶ caught up
package struct CatchUp: Sendable {
    /// One runner's share: what of it may be told, and up to where.
    package struct Source: Sendable {
        package let share: Share
        package let privacy: PrivacySettings
        /// Those with something after the cursor.
        package let sessions: [SessionID]
        /// The feed tells what comes after it.
        package let end: RecordOffset

        package init(
            share: Share, privacy: PrivacySettings, sessions: [SessionID], end: RecordOffset
        ) {
            self.share = share
            self.privacy = privacy
            self.sessions = sessions
            self.end = end
        }

        package var rule: ProjectionRule {
            ProjectionRule(share, privacy: privacy)
        }
    }

    /// Events handed to a socket at once.
    package static let partMax = 128

    package let sources: [Source]
    private let encoders: [HistoryEncoder]
    private let partMax: Int
    /// Everything up to here was told.
    private var after: RecordOffset
    /// Nothing more follows.
    package private(set) var isComplete = false

    /// - Parameters:
    ///   - sources: The share, or a group's members.
    ///   - after: The viewer's cursor.
    ///   - epoch: Of the log.
    ///   - inGroup: Events carry the runner's name.
    ///   - partMax: Fewer events at once, where that is to be seen to work.
    package init(
        _ sources: [Source], after: RecordOffset, epoch: UInt32, inGroup: Bool,
        partMax: Int = CatchUp.partMax
    ) {
        self.sources = sources
        self.partMax = partMax
        self.after = after
        encoders = sources.map {
            HistoryEncoder(
                epoch: epoch, scope: $0.share.scope,
                runnerName: inGroup ? $0.share.runnerName : nil)
        }
    }

    /// The last record that must be readable.
    package var end: RecordOffset { sources.map(\.end).max() ?? after }

    /// Reads the next part. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - now: Arrival clock.
    ///   - records: Of a session by a rule; `nil` where it is gone.
    /// - Returns: A bounded number of events; none when it is complete, or the reading was cancelled.
    /// - Throws: ``SegmentLogError``; what was missed is not known then.
    package mutating func nextPart(
        at now: Timestamp,
        records: (SessionID, ProjectionRule) throws(SegmentLogError) -> ShownRecords?
    ) throws(SegmentLogError) -> [(cursor: LogCursor, json: [UInt8])] {
        guard !isComplete else { return [] }
        var part: [(cursor: LogCursor, json: [UInt8])] = []
        /// Behind it a source may have more than was read.
        var known: RecordOffset?
        for (source, encoder) in zip(sources, encoders) {
            for session in source.sessions {
                guard let records = try records(session, source.rule) else { continue }
                let (last, ending) = try read(records, of: source, at: now, encoder, into: &part)
                guard ending != .cancelled else { return [] }
                if let last { known = min(last, known ?? last) }
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
        return part
    }

    /// - Returns: The last offset of a full part, `nil`: there is no more of this session; and why the
    ///   reading ended.
    private func read(
        _ records: ShownRecords, of source: Source, at now: Timestamp, _ encoder: HistoryEncoder,
        into part: inout [(cursor: LogCursor, json: [UInt8])]
    ) throws(SegmentLogError) -> (last: RecordOffset?, ending: ShownRecords.Ending) {
        var position = records.position(after: after)
        var count = 0
        var last: RecordOffset?
        let ending = try records.read(
            from: &position, arrivedBy: source.share.shownArrivals(at: now), now: now
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
