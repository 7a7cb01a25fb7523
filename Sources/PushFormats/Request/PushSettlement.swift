package import SensorModel

/// Decides when a push request is answered: once the pipeline has ingested its frames and, if the
/// owner requires it, the disk has them.
///
/// Pure. The caller asks the pipeline for its state after the frames are in the ring, turn by turn,
/// and waits for the disk.
package struct PushSettlement: Sendable {
    /// State of the pipeline at the beginning of a turn.
    package struct Turn: Sendable {
        /// Whether the request's connection still belongs to its session.
        package var isOurs: Bool
        /// Whether the rings are empty.
        package var isDrained: Bool
        /// Whether the log has room. Without, the pipeline takes nothing from the rings.
        package var hasRoom: Bool
        /// Offset of the next record.
        package var end: RecordOffset

        package init(isOurs: Bool, isDrained: Bool, hasRoom: Bool, end: RecordOffset) {
            self.isOurs = isOurs
            self.isDrained = isDrained
            self.hasRoom = hasRoom
            self.end = end
        }
    }

    package enum Step: Hashable, Sendable {
        /// Records before the request's may be in the rings: ask in a later turn.
        case askAgain
        /// The log has the frames; they are on disk when everything before `end` is.
        case ingested(end: RecordOffset)
        /// The session was deleted, or belongs to another connection: a new one has to be opened.
        case gone
        /// The disk is full or broken: the application should send again.
        case notDurable
    }

    /// Bytes of the smallest record in a ring, with its length.
    private static let recordBytesMin = 16
    /// Records of each ring that a turn takes at least, if the log has room.
    package static let recordsPerTurnMin = 32

    private let turnsMax: Int
    private var turns = 0

    /// - Parameter ringBytes: Capacity of a ring. Records before the request's are no more than fit.
    package init(ringBytes: Int) {
        turnsMax = ringBytes / Self.recordBytesMin / Self.recordsPerTurnMin + 2
    }

    /// - Parameter turn: `nil`: the daemon is stopping.
    /// - Returns: What to do; anything but ``Step/askAgain`` is final.
    package mutating func asked(_ turn: Turn?) -> Step {
        turns += 1
        guard let turn, turn.isDrained || turn.hasRoom else { return .notDurable }
        // Under load the rings may never be empty. After so many turns the frames are ingested.
        guard turn.isDrained || turns >= turnsMax else { return .askAgain }
        return turn.isOurs ? .ingested(end: turn.end) : .gone
    }
}
