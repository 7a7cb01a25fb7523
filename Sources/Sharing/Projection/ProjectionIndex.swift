public import SensorModel

/// Copies of a projection along its session, from which reading can begin without the records
/// before.
///
/// The first request makes it in one pass over the session. While the session continues, another
/// pass from the last copy extends it.
public struct ProjectionIndex: Sendable {
    public struct Checkpoint: Sendable {
        /// The first offset that the projection has not processed.
        public let next: RecordOffset
        /// The newest device time before that offset.
        public let deviceTime: Timestamp
        public let projection: SessionProjection
    }

    private static let countMax = 64
    /// Time between two checkpoints; it doubles when there are too many.
    private var spacingSeconds = 60.0
    /// Checkpoints in log order.
    private var checkpoints: [Checkpoint] = []
    private var newestDeviceTime: Timestamp?
    /// Number of the session's records at the start of the last pass.
    private var records = 0
    /// Decisions of a trimmed finish in all passes, by the records alone.
    package private(set) var verdicts = FinishVerdicts()
    /// Later decisions by time alone; valid until another record comes.
    private var verdictsOfRest = FinishVerdicts()
    /// End of the last pass. Arrival clock.
    private var passedAt: Timestamp?
    /// The first event held back at that time, and the times at which the first and the last are
    /// released without further records.
    private var held: (from: RecordOffset, releases: ClosedRange<Timestamp>)?

    /// Records after the last copy that a reading may process before the index is extended: about
    /// as many as between two copies of a busy session.
    private static let recordsBehindMax = 1024

    public init() {}

    /// - Parameters:
    ///   - records: The session's present number of records.
    ///   - now: Time of the arrival clock.
    /// - Returns: Whether another pass is useful.
    public func isBehind(_ records: Int, at now: Timestamp) -> Bool {
        if let held, held.releases.upperBound <= now { return true }
        return isAhead(of: now) || abs(records - self.records) >= Self.recordsBehindMax
    }

    /// Whether the clock was set back since the last pass: that pass then decided too much.
    public func isAhead(of now: Timestamp) -> Bool {
        passedAt.map { now < $0 } ?? false
    }

    /// - Parameter records: The session's present number of records.
    /// - Returns: The decisions on the session.
    package func verdicts(of records: Int) -> FinishVerdicts {
        records == self.records ? verdictsOfRest : verdicts
    }

    /// - Parameters:
    ///   - records: The session's present number of records.
    ///   - now: Time of the arrival clock.
    /// - Returns: The offset from which all events are held back now; `nil`: unknown, or none.
    package func firstHeld(of records: Int, at now: Timestamp) -> RecordOffset? {
        guard let held, records == self.records, now < held.releases.lowerBound else { return nil }
        return held.from
    }

    /// Prepares a pass.
    ///
    /// - Parameter records: The session's present number of records.
    /// - Returns: Start of the pass; `nil`: the session's start.
    public mutating func extend(to records: Int) -> Checkpoint? {
        self.records = records
        return checkpoints.last
    }

    /// Approximate bytes of memory, which limit a cache of indexes.
    public var bytes: Int {
        4096 + verdicts.bytes + verdictsOfRest.bytes
            + checkpoints.reduce(0) { $0 + $1.projection.bytes }
    }

    /// Call after each event that the projection has processed; most calls store nothing.
    public mutating func note(
        _ projection: SessionProjection, after offset: RecordOffset, deviceTime: Timestamp
    ) {
        let newest = max(deviceTime, newestDeviceTime ?? deviceTime)
        newestDeviceTime = newest
        // Held events are read again: a copy of them would have half an hour of the session.
        let held = projection.firstHeld
        let last = checkpoints.last
        let time = held.map { max($0.deviceTime, last?.deviceTime ?? $0.deviceTime) }
        if let last, (time ?? newest).seconds(since: last.deviceTime) < spacingSeconds { return }
        checkpoints.append(
            Checkpoint(
                next: held?.offset ?? RecordOffset(rawValue: offset.rawValue + 1),
                deviceTime: time ?? newest, projection: projection.rewound()))
        guard checkpoints.count > Self.countMax else { return }
        spacingSeconds *= 2
        checkpoints = stride(from: 0, to: checkpoints.count, by: 2).map { checkpoints[$0] }
    }

    /// Ends a pass.
    ///
    /// - Parameters:
    ///   - pass: The projection after the whole session.
    ///   - now: Time of the arrival clock.
    package mutating func end(_ pass: SessionProjection, at now: Timestamp) {
        verdicts = pass.verdicts
        var pass = pass
        // The end of a view is no decision: each reading computes it.
        var unused: [ShownEvent] = []
        pass.advance(to: now, into: &unused)
        verdictsOfRest = pass.verdicts
        passedAt = now
        held = pass.releases.flatMap { releases in
            pass.firstHeld.map { ($0.offset, releases) }
        }
    }

    /// - Returns: The last checkpoint before `offset`; `nil`: begin at the session's start.
    public func checkpoint(before offset: RecordOffset) -> Checkpoint? {
        checkpoints[..<partition { $0.next <= offset }].last
    }

    /// - Parameters:
    ///   - deviceTime: Latest device time of the checkpoint's events.
    ///   - arrivedBy: Later arrivals are still held back from the share; `nil`: none are.
    /// - Returns: The last checkpoint without an event after that device time, and without a shown
    ///   event that is held back.
    public func checkpoint(notAfter deviceTime: Timestamp, arrivedBy: Timestamp?) -> Checkpoint? {
        let taken = checkpoints[..<partition { $0.deviceTime <= deviceTime }]
        guard let arrivedBy else { return taken.last }
        return taken.last { ($0.projection.progress.newest?.arrival ?? arrivedBy) <= arrivedBy }
    }

    /// The first index at which `isBefore` is false.
    private func partition(_ isBefore: (Checkpoint) -> Bool) -> Int {
        var low = 0
        var high = checkpoints.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(checkpoints[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
