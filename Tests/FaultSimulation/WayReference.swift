import SensorModel

/// What of the distance of a stretch in view was not run there: worked out from its records.
///
/// A distance that grows by more than 25 m at once counts for the way in view only: until a position of less than
/// 20 m added to it, for the line from the stretch's start, less what counted before; then for one and a half times
/// the line from the last such position, and 25 m. Where the place stays the same 15 m/s are believed.
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
