public import SensorModel

/// Copies of a projection along its session: where reading can begin without the way before.
///
/// One pass over the session makes it, when somebody first asks. While the session goes on, another
/// pass from the last copy extends it.
public struct ProjectionIndex: Sendable {
    public struct Checkpoint: Sendable {
        /// The first offset that the projection has not taken.
        public let next: RecordOffset
        /// The newest device time up to there.
        public let deviceTime: Timestamp
        public let projection: SessionProjection
    }

    private static let countMax = 64
    /// Between two checkpoints; doubles each time there are too many.
    private var spacingSeconds = 60.0
    /// In the order of the log.
    private var checkpoints: [Checkpoint] = []
    private var newestDeviceTime: Timestamp?
    /// How many records the session had when the last pass began.
    private var records = 0

    /// A reading from the last copy takes so many more records before the index is extended: about as
    /// many as lie between two copies of a busy session.
    private static let recordsBehindMax = 1024

    public init() {}

    /// - Parameter records: Of the session, now.
    /// - Returns: Whether another pass is worth its while.
    public func isBehind(_ records: Int) -> Bool {
        abs(records - self.records) >= Self.recordsBehindMax
    }

    /// Call before a pass.
    ///
    /// - Parameter records: Of the session, now.
    /// - Returns: Where the pass begins; `nil`: with the session.
    public mutating func extend(to records: Int) -> Checkpoint? {
        self.records = records
        return checkpoints.last
    }

    /// What it holds, roughly: what a cache of them is bounded by.
    public var bytes: Int { 4096 + checkpoints.reduce(0) { $0 + $1.projection.bytes } }

    /// Call after each event that the projection has taken; most calls keep nothing.
    public mutating func note(
        _ projection: SessionProjection, after offset: RecordOffset, deviceTime: Timestamp
    ) {
        let newest = max(deviceTime, newestDeviceTime ?? deviceTime)
        newestDeviceTime = newest
        // What is held back is read again: a copy would hold half an hour of the session.
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

    /// - Returns: The last checkpoint that has taken nothing from `offset` on; `nil`: begin with the
    ///   session.
    public func checkpoint(before offset: RecordOffset) -> Checkpoint? {
        checkpoints[..<partition { $0.next <= offset }].last
    }

    /// - Parameters:
    ///   - deviceTime: Of the newest event it has taken, at most.
    ///   - arrivedBy: What came later is still held back from the share; `nil`: nothing is.
    /// - Returns: The last checkpoint that has taken nothing after that device time, and has shown
    ///   nothing that is held back.
    public func checkpoint(notAfter deviceTime: Timestamp, arrivedBy: Timestamp?) -> Checkpoint? {
        let taken = checkpoints[..<partition { $0.deviceTime <= deviceTime }]
        guard let arrivedBy else { return taken.last }
        return taken.last { ($0.projection.progress.newest?.arrival ?? arrivedBy) <= arrivedBy }
    }

    /// The first index for which `isBefore` does not hold.
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
