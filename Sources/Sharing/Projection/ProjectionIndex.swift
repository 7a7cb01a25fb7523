public import SensorModel

/// Copies of a projection along its session: where reading can begin without the way before.
///
/// Of a session in memory it grows with the session; of one in the log a single pass makes it.
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

    public init() {}

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
        let time = held.map { max($0.event.deviceTime, last?.deviceTime ?? $0.event.deviceTime) }
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
