import SensorModel

/// The part of a visible stretch's distance that was not run there, computed from its records.
///
/// A growth of more than 25 m at once counts only as far as a line supports it: at first the line
/// from the stretch's start, less the distance counted before. After a position with under 20 m
/// accuracy added distance, growth over 1.5 times the line from it plus 25 m counts as that line.
/// If the place stays the same, growth of up to 15 m/s counts.
struct WayReference {
    var unseen = 0.0
    private let first: Metrics
    private var counted = 0.0
    private var anchor: Metrics?
    private var before: PositionMetric?
    private var distance: Double

    init(_ metrics: Metrics) {
        first = metrics
        before = metrics.position
        distance = metrics.distanceMeters ?? 0
    }

    mutating func pass(_ metrics: Metrics) {
        let here = metrics.position
        let moved = here?.latitude != before?.latitude || here?.longitude != before?.longitude
        before = here ?? before
        let growth = (metrics.distanceMeters ?? 0) - distance
        distance += growth
        guard growth > 0 else { return }
        let from = anchor ?? first
        var line = 0.0
        if let here, let there = from.position { line = TrackReference.meters(here, there) }
        let passed = 15 * (metrics.elapsedSeconds - from.elapsedSeconds)
        var taken = growth
        if growth > 25 {
            if anchor == nil, first.position != nil {
                taken = min(growth, max(0, line - counted))
            } else if line == 0 {
                taken = growth <= passed - (anchor == nil ? counted : 0) ? growth : 0
            } else if growth > 1.5 * line + 25 {
                taken = line
            }
        }
        counted += taken
        unseen += growth - taken
        let accuracy = here?.horizontalAccuracyMeters ?? 1
        if moved, here != nil, accuracy > 0, accuracy < 20 { anchor = metrics }
    }
}
