/// Seconds from start to finish of the race distance, moving and paused.
public struct FinishEstimate: Hashable, Sendable {
    public var bestSeconds: Double
    public var expectedSeconds: Double
    public var worstSeconds: Double

    public init(bestSeconds: Double, expectedSeconds: Double, worstSeconds: Double) {
        self.bestSeconds = bestSeconds
        self.expectedSeconds = expectedSeconds
        self.worstSeconds = worstSeconds
    }
}

public struct CourseProgress: Hashable, Sendable {
    /// Name of the checkpoint ahead; `nil` past the last one.
    public var checkpoint: String?
    /// Predicted elapsed seconds at that checkpoint.
    public var predictedSeconds: Double?
    public var offCourse: Bool
    /// The checkpoints after that one, in course order. Together with it they are at most
    /// ``aheadMax``, and their names at most ``aheadNameBytesMax``.
    public var later: [CheckpointAhead]

    /// Maximum number of checkpoints in a metrics record, and in a second's message to viewers.
    public static let aheadMax = 20
    /// Bytes of all their names, which are in each second's record; twenty of the longest are 5 KB.
    public static let aheadNameBytesMax = 512

    public init(
        checkpoint: String?, predictedSeconds: Double?, offCourse: Bool,
        later: [CheckpointAhead] = []
    ) {
        self.checkpoint = checkpoint
        self.predictedSeconds = predictedSeconds
        self.offCourse = offCourse
        self.later = later
    }

    /// The next checkpoint and the later ones.
    public var ahead: [CheckpointAhead] {
        guard let checkpoint else { return [] }
        return [CheckpointAhead(checkpoint: checkpoint, predictedSeconds: predictedSeconds)] + later
    }
}

/// A checkpoint that the runner has not reached yet.
public struct CheckpointAhead: Hashable, Sendable {
    public var checkpoint: String
    /// Predicted elapsed seconds at the checkpoint; `nil` while the runner's speed is unknown.
    public var predictedSeconds: Double?

    public init(checkpoint: String, predictedSeconds: Double?) {
        self.checkpoint = checkpoint
        self.predictedSeconds = predictedSeconds
    }
}

/// The runner's position in the plan's phases.
public struct IntervalProgress: Hashable, Sendable {
    /// Number of the phase, from 1.
    public var number: Int
    /// Phases in the plan.
    public var count: Int
    /// Time left in a phase with a duration.
    public var secondsLeft: Double?
    /// Distance left in a phase with a distance.
    public var metersLeft: Double?

    public init(number: Int, count: Int, secondsLeft: Double?, metersLeft: Double?) {
        self.number = number
        self.count = count
        self.secondsLeft = secondsLeft
        self.metersLeft = metersLeft
    }
}
