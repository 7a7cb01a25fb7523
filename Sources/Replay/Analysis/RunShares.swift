import SensorModel

/// Meters of a run by slope, and moving seconds by pace, with the reference's bounds.
public struct RunShares: Hashable, Sendable {
    /// Slope of the ground.
    public enum Slope: String, CaseIterable, Sendable {
        /// Below −15 %, below −5 %, below 5 %, below 15 %, and above.
        case steepDown, moderateDown, flat, moderateUp, steepUp

        public init(percent: Double) {
            self =
                switch percent {
                case ..<(-15): .steepDown
                case ..<(-5): .moderateDown
                case ..<5: .flat
                case ..<15: .moderateUp
                default: .steepUp
                }
        }
    }

    /// Time at a pace.
    public struct Pace: Hashable, Sendable {
        /// Seconds a kilometer; the bucket is ``RunShares/paceSeconds`` wide.
        public var from: Int
        public var seconds: Double
    }

    /// Width of a pace's bucket, seconds a kilometer.
    public static let paceSeconds = 30
    private static let paces = 120.0...900.0
    /// Longest time between two rows that counts, seconds.
    private static let stepSecondsMax = 10.0

    /// Meters whose slope is known.
    public private(set) var meters: [Slope: Double] = [:]
    private var buckets: [Int: Double] = [:]

    /// - Parameter rows: An analysis, in order of time.
    public init(_ rows: [RecordingAnalysis.Row]) {
        for (before, row) in zip(rows, rows.dropFirst()) {
            let seconds = row.t - before.t
            guard seconds > 0, seconds <= Self.stepSecondsMax else { continue }
            add(row.metrics, after: before.metrics, seconds: seconds)
        }
    }

    /// Times by pace, the fastest first; paces without time are left out.
    public var paceTimes: [Pace] {
        buckets.keys.sorted().map { Pace(from: $0, seconds: buckets[$0] ?? 0) }
    }

    private mutating func add(_ metrics: Metrics, after before: Metrics, seconds: Double) {
        if let percent = metrics.gradePercent, let now = metrics.distanceMeters,
            let then = before.distanceMeters, now > then
        {
            meters[Slope(percent: percent), default: 0] += now - then
        }
        guard !metrics.autoPaused, !metrics.manuallyPaused,
            let speed = metrics.speedMetersPerSecond, speed > 0,
            case let pace = 1000 / speed, Self.paces.contains(pace)
        else { return }
        buckets[Int(pace) / Self.paceSeconds * Self.paceSeconds, default: 0] += seconds
    }
}
