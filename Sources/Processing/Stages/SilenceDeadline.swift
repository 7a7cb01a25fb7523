import SensorModel

/// Finds the first time at which silence alone changes the shown values.
struct SilenceDeadline: Sendable {
    /// Only later times are candidates.
    let after: Timestamp
    private(set) var time: Timestamp?

    init(after: Timestamp) {
        self.after = after
    }

    mutating func add(_ candidate: Timestamp?) {
        guard let candidate, candidate > after else { return }
        time = time.map { min($0, candidate) } ?? candidate
    }
}
