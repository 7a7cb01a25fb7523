package import SensorModel

/// Decides when a push request is answered.
///
/// It is answered once the pipeline has ingested its frames and, if the owner requires it, they are
/// on disk. Pure: after the frames are in the ring, the caller asks the pipeline for its state in
/// each turn, and waits for the disk.
package struct PushProgress: Sendable {
    /// State of the pipeline at the beginning of a turn.
    package struct Turn: Sendable {
        /// Whether the request's connection still belongs to its session.
        package var isOurs: Bool
        /// Whether the rings are empty.
        package var isDrained: Bool
        /// Whether the log has room. Without room, the pipeline takes nothing from the rings.
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
        /// Earlier records may still be in the rings; the caller asks again in a later turn.
        case askAgain
        /// The log has the frames. They are durable when everything before `end` is.
        case ingested(end: RecordOffset)
        /// The session was deleted or belongs to another connection; a new one must be opened.
        case gone
        /// The disk is full or broken. The application should send again.
        case notDurable
    }

    /// Minimum bytes of a record in a ring, with its length.
    private static let recordBytesMin = 16
    /// Minimum number of records that a turn takes from each ring, if the log has room.
    package static let recordsPerTurnMin = 32

    private let turnsMax: Int
    private var turns = 0

    /// - Parameter ringBytes: Capacity of a ring, which limits the records before the request's.
    package init(ringBytes: Int) {
        turnsMax = ringBytes / Self.recordBytesMin / Self.recordsPerTurnMin + 2
    }

    /// - Parameter turn: State of the pipeline; `nil` if the daemon is stopping.
    /// - Returns: The next step; any step but ``Step/askAgain`` is final.
    package mutating func asked(_ turn: Turn?) -> Step {
        turns += 1
        guard let turn, turn.isDrained || turn.hasRoom else { return .notDurable }
        // Under load the rings may never be empty. After `turnsMax` turns the frames are ingested.
        guard turn.isDrained || turns >= turnsMax else { return .askAgain }
        return turn.isOurs ? .ingested(end: turn.end) : .gone
    }
}
