import SensorModel
import Sharing

/// Finds the start of each track, and whether it is a runner's track, from a session's positions.
struct TrackReference {
    /// The state at a record with a position.
    struct Point {
        /// Index of the record at which the track started.
        var landing: Int
        /// Whether the track went on without a leap, and 100 m away from its start.
        var isTrusted = false
        /// Whether the position differs from the one before.
        var isNew = false
        /// Whether a live watch sent no new position for over a minute, and for over three times
        /// the shorter of the last two intervals (at most five minutes).
        var isLost = false
        /// Whether the record's device time is over 30 s before that of the newest position.
        var isBack = false
        /// Whether the run may have begun at the track's start: no track of 300 m leads there.
        var isStart = true
        /// Whether the runner has stood here for half an hour.
        var isAtStand = false
        /// The place at which this record completes half an hour.
        var newStand: PositionMetric?
    }

    /// One point for each record; `nil`: no position.
    private(set) var points: [Point?] = []

    /// Session seconds of new positions.
    private var moves: [Double] = []
    private var newest: PositionMetric?
    private var start: PositionMetric?
    /// Whether the track went 300 m from its start, or follows one that did.
    private var isSettled = false
    /// Consecutive steps of at most 6 m/s or 50 m.
    private var steady = 0
    /// Latest device time of a record with a new position, since device time last stepped back.
    private var fixAt: Timestamp?
    private var isInterrupted = false
    private var stands = StandReference()
    private var point = Point(landing: 0)

    init(of records: [Reference.Record]) {
        let continues = Reference.continuations(of: records)
        for (index, record) in records.enumerated() {
            // The track of the run before is not continued.
            if continues[index] {
                let points = points
                self = TrackReference(of: [])
                self.points = points
            }
            guard let metrics = record.metrics, let here = metrics.position else {
                points.append(nil)
                continue
            }
            pass(index, record.deviceTime, metrics, here)
            points.append(point)
        }
    }

    private mutating func pass(
        _ index: Int, _ time: Timestamp, _ metrics: Metrics, _ here: PositionMetric
    ) {
        point.isBack = fixAt.map { $0.seconds(since: time) > 30 } ?? false
        if point.isBack {
            fixAt = time
            isInterrupted = true
            point.isTrusted = false
        }
        point.newStand = stands.pass(here, at: metrics.elapsedSeconds)
        point.isAtStand = stands.isAtStand
        move(index, metrics.elapsedSeconds, here)
        if point.isNew, here.state == .live { fixAt = max(time, fixAt ?? time) }
        let silence = abs(metrics.elapsedSeconds - (moves.last ?? 0))
        point.isLost =
            metrics.state == .live && here.state == .stale && silence > 60
            && silence > min(3 * Self.interval(of: moves), 300)
        if point.isLost {
            isInterrupted = true
            point.isTrusted = false
        }
    }

    private mutating func move(_ index: Int, _ seconds: Double, _ here: PositionMetric) {
        defer { newest = here }
        guard let there = newest else {
            point.isNew = true
            return land(index, seconds, here)
        }
        point.isNew = here.latitude != there.latitude || here.longitude != there.longitude
        guard point.isNew else { return }
        let passed = max(0, seconds - (moves.last ?? 0))
        let isHole = passed > 30 && passed > min(3 * Self.usualInterval(of: moves), 300)
        let meters = Self.meters(here, there)
        let isLeap = meters > 25 && (isHole || meters > 15 * passed)
        guard !isLeap, !isInterrupted else {
            let isBridged = passed <= 600 && (meters <= 50 || meters <= 6 * passed)
            isSettled = isSettled && !point.isBack && isBridged
            return land(index, seconds, here)
        }
        moves.append(seconds)
        guard let start else { return }
        point.isTrusted = point.isTrusted || Self.meters(here, start) >= 100
        steady = meters <= 50 || meters <= 6 * passed ? steady + 1 : 0
        isSettled = isSettled || Self.meters(here, start) >= 300 && steady >= 60
    }

    private mutating func land(_ index: Int, _ seconds: Double, _ here: PositionMetric) {
        moves.append(seconds)
        start = here
        isInterrupted = false
        point.landing = index
        point.isStart = !isSettled
        steady = 0
        point.isTrusted = false
    }

    /// The second longest of the last eight intervals between moves; 0 if there is only one.
    private static func usualInterval(of moves: [Double]) -> Double {
        let ends = moves.suffix(9)
        let intervals = zip(ends.dropFirst(), ends).map { max(0, $0 - $1) }
        return intervals.sorted(by: >).dropFirst().first ?? 0
    }

    /// The shorter of the last two intervals between moves; 0 if there are fewer.
    private static func interval(of moves: [Double]) -> Double {
        let ends = Array(moves.suffix(3))
        return ends.count == 3 ? min(max(0, ends[2] - ends[1]), max(0, ends[1] - ends[0])) : 0
    }

    /// Meters on the plane around the second position, as the product measures them, because a
    /// track is trusted at exactly 100 m.
    static func meters(_ one: PositionMetric, _ other: PositionMetric) -> Double {
        let degree = 6_371_000 * Double.pi / 180
        let north = (one.latitude - other.latitude) * degree
        // Simulated runs do not cross the 180th meridian.
        let east =
            (one.longitude - other.longitude) * degree
            * LocalPlane.cosine(ofDegrees: other.latitude)
        return (north * north + east * east).squareRoot()
    }
}
