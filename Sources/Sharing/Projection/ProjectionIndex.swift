import Bytes
public import SensorModel

/// Copies of a projection along its session; reading can begin at a copy, without the records
/// before it.
///
/// The first request reads the session twice. The first pass decides what may be the finish. The
/// second applies these decisions up to the first undecided event, and makes the copies. When the
/// session has more records, both continue where they ended and read only the new ones.
public struct ProjectionIndex: Sendable {
    public struct Checkpoint: Sendable {
        /// The first offset that the projection has not processed.
        public let next: RecordOffset
        /// The newest device time before that offset.
        public let deviceTime: Timestamp
        public let projection: SessionProjection
    }

    /// A projection of the session's beginning.
    private struct Pass: Sendable {
        var projection: SessionProjection
        /// The first offset that it has not processed; `nil`: the session's start.
        var next: RecordOffset?

        mutating func take(_ record: Record, into shown: inout [ShownEvent]) {
            shown.removeAll(keepingCapacity: true)
            projection.take(
                record.event, at: record.offset, arrival: record.arrival, into: &shown)
            next = RecordOffset(rawValue: record.offset.rawValue + 1)
        }
    }

    /// A recorded event, its offset and the arrival of its record.
    package typealias Record = (event: StreamEvent, offset: RecordOffset, arrival: Timestamp)

    private static let countMax = 128
    /// Time between two checkpoints; it doubles when there are too many.
    private var spacingSeconds = 60.0
    /// Checkpoints in log order.
    private var checkpoints: [Checkpoint] = []
    private var newestDeviceTime: Timestamp?
    /// Number of the session's records at the start of the last extension.
    private var records = 0
    /// The pass that decides; unused unless the finish is trimmed.
    private var deciding: Pass
    /// The deciding pass, advanced by the time since its last record. Time alone decides too, but
    /// such a decision is valid only until another record comes.
    private var resting: SessionProjection
    /// Time of the last extension. Arrival clock.
    private var extendedAt: Timestamp?
    /// The pass that makes the checkpoints.
    private var following: Pass
    private let holdsBack: Bool

    public init(_ rule: ProjectionRule) {
        holdsBack = rule.holdsBack
        let projection = SessionProjection(rule)
        following = Pass(projection: projection)
        resting = projection
        deciding = Pass(projection: projection)
        deciding.projection.use(FinishVerdicts(), extends: true)
    }

    /// - Parameters:
    ///   - records: The session's present number of records.
    ///   - now: Time of the arrival clock.
    /// - Returns: Whether an extension is useful.
    public func isBehind(_ records: Int, at now: Timestamp) -> Bool {
        records != self.records || isAhead(of: now)
            || resting.releases.map { $0.lowerBound <= now } ?? false
    }

    /// Whether the clock was set back since the last extension, so that time decided too much.
    public func isAhead(of now: Timestamp) -> Bool {
        extendedAt.map { now < $0 } ?? false
    }

    /// Whether records that were processed are gone from the log.
    public func isBeyond(_ records: Int) -> Bool { records < self.records }

    /// The decisions of a trimmed finish, including those of time since the last record.
    package var verdicts: FinishVerdicts { resting.verdicts }

    /// - Parameter records: The session's present number of records.
    /// - Returns: The decisions on the session.
    package func verdicts(of records: Int) -> FinishVerdicts {
        records == self.records ? resting.verdicts : deciding.projection.verdicts
    }

    /// - Parameter now: Time of the arrival clock; the index must not be behind.
    /// - Returns: The offset from which all events are held back now; `nil`: unknown, or none.
    package func firstHeld(at now: Timestamp) -> RecordOffset? {
        guard let releases = resting.releases, now < releases.lowerBound,
            let first = resting.firstHeld, let last = resting.lastHeld,
            // Records that came before the clock was set back may have ended the view.
            first.arrival <= now, last.arrival <= now
        else { return nil }
        return first.offset
    }

    /// Approximate bytes of memory, which limit a cache of indexes.
    public var bytes: Int {
        4096 + verdicts.bytes + deciding.projection.verdicts.bytes
            + deciding.projection.heldBytes + resting.heldBytes + following.projection.heldBytes
            + checkpoints.reduce(0) { $0 + $1.projection.bytes }
    }

    /// Whether it has events that a trimmed finish holds back; they use most of its memory.
    public var hasHeld: Bool { deciding.projection.firstHeld != nil }

    /// A copy without the events held back: an extension reads them again.
    public func withoutHeld() -> ProjectionIndex {
        var copy = self
        copy.deciding.next = deciding.projection.firstHeld?.offset ?? deciding.next
        copy.deciding.projection = deciding.projection.rewound()
        copy.deciding.projection.use(deciding.projection.verdicts, extends: true)
        copy.resting = resting.rewound()
        copy.resting.use(resting.verdicts, extends: true)
        return copy
    }

    // MARK: Extension

    /// Processes the records since the last extension.
    ///
    /// - Parameters:
    ///   - records: The session's present number of records.
    ///   - now: Time of the arrival clock.
    ///   - read: Visits the session's marks and events from an offset (`nil`: its start) up to
    ///     another, which is excluded (`nil`: its end); `false` if it was cancelled.
    /// - Returns: `false` if it was cancelled: the index is then not usable.
    /// - Throws: What `read` throws; the index is then not usable.
    package mutating func extend<Failure>(
        to records: Int, at now: Timestamp,
        read: (
            _ from: RecordOffset?, _ until: RecordOffset?,
            _ mark: (SessionProjection.Mark) -> Void, _ event: (Record) -> Void
        ) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        self.records = records
        var shown: [ShownEvent] = []
        if holdsBack {
            let before = deciding.next
            guard
                try read(
                    deciding.next, nil, { deciding.projection.note($0) },
                    { deciding.take($0, into: &shown) })
            else { return false }
            if before != deciding.next || isAhead(of: now) || extendedAt == nil {
                resting = deciding.projection
            }
            shown.removeAll(keepingCapacity: true)
            // The end of a view is no decision: each reading computes it.
            resting.advance(to: now, into: &shown)
        }
        extendedAt = now
        following.projection.use(deciding.projection.verdicts)
        return try read(
            following.next, deciding.projection.firstHeld?.offset,
            { following.projection.note($0) },
            { record in
                following.take(record, into: &shown)
                note(record)
            })
    }

    /// Makes a checkpoint after a record if the last one is old enough.
    private mutating func note(_ record: Record) {
        let newest = max(record.event.deviceTime, newestDeviceTime ?? record.event.deviceTime)
        newestDeviceTime = newest
        // Held events are read again, since a copy of them would hold half an hour of the session.
        let held = following.projection.firstHeld
        let last = checkpoints.last
        let time = held.map { max($0.deviceTime, last?.deviceTime ?? $0.deviceTime) }
        if let last, (time ?? newest).seconds(since: last.deviceTime) < spacingSeconds { return }
        checkpoints.append(
            Checkpoint(
                next: held?.offset ?? RecordOffset(rawValue: record.offset.rawValue + 1),
                deviceTime: time ?? newest, projection: following.projection.rewound()))
        guard checkpoints.count > Self.countMax else { return }
        spacingSeconds *= 2
        checkpoints = stride(from: 0, to: checkpoints.count, by: 2).map { checkpoints[$0] }
    }

    // MARK: Lookup

    /// The last checkpoint before anything was shown; `nil`: begin at the session's start.
    package var checkpointBeforeShown: Checkpoint? {
        checkpoints[..<checkpoints.partitioningIndex { $0.projection.hasShown }].last
    }

    /// The span of what is shown.
    ///
    /// - Parameter arrivedBy: Later arrivals are still held back from the share; `nil`: none are.
    /// - Returns: The device times, with `arrivedBy` up to a checkpoint's spacing short, and the last
    ///   offset; `nil`: nothing is shown.
    package func shown(
        arrivedBy: Timestamp?
    ) -> (times: ClosedRange<Timestamp>, through: RecordOffset)? {
        let all = following.projection.progress
        guard let startedAt = all.startedAt, let newest = all.newest else { return nil }
        var end = newest
        if let arrivedBy, newest.arrival > arrivedBy {
            let seen = checkpoints.last {
                $0.projection.progress.newest.map { $0.arrival <= arrivedBy } ?? false
            }
            guard let seen = seen?.projection.progress.newest else { return nil }
            end = seen
        }
        return (startedAt...max(startedAt, end.event.deviceTime), newest.offset)
    }

    /// - Returns: The last checkpoint before `offset`; `nil`: begin at the session's start.
    public func checkpoint(before offset: RecordOffset) -> Checkpoint? {
        checkpoints[..<checkpoints.partitioningIndex { $0.next > offset }].last
    }

    /// - Parameters:
    ///   - deviceTime: Latest device time of the checkpoint's events.
    ///   - arrivedBy: Later arrivals are still held back from the share; `nil`: none are.
    /// - Returns: The last checkpoint without an event after that device time, and without a shown
    ///   event that is held back.
    public func checkpoint(notAfter deviceTime: Timestamp, arrivedBy: Timestamp?) -> Checkpoint? {
        let taken = checkpoints[..<checkpoints.partitioningIndex { $0.deviceTime > deviceTime }]
        guard let arrivedBy else { return taken.last }
        return taken.last { ($0.projection.progress.newest?.arrival ?? arrivedBy) <= arrivedBy }
    }
}
