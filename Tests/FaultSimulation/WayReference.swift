import SensorModel

/// What of the distance of a stretch in view was not run there: worked out from its records.
///
/// A distance that grows by more than 25 m at once, and by more than the way in view since it last grew, counts
/// for that way only. With the first growth in view the way is the straight line; later it may be half as
/// long again and 25 m more. Where the place stays the same, 15 m/s are believed.
struct WayReference {
    var unseen = 0.0
    private var last: (metrics: Metrics, place: PositionMetric?)
    private var newest: PositionMetric?
    private var distance: Double
    private var hasGrown = false

    init(_ metrics: Metrics) {
        last = (metrics, metrics.position)
        newest = metrics.position
        distance = metrics.distanceMeters ?? 0
    }

    mutating func pass(_ metrics: Metrics) {
        newest = metrics.position ?? newest
        let growth = (metrics.distanceMeters ?? 0) - distance
        distance += growth
        guard growth > 0 else { return }
        var line = 0.0
        if let here = metrics.position, let there = last.place {
            line = TrackReference.meters(here, there)
        }
        let seconds = metrics.elapsedSeconds - last.metrics.elapsedSeconds
        let believed: Double
        if metrics.position != nil, !hasGrown {
            believed = line
        } else {
            believed = line > 0 ? 1.5 * line + 25 : 15 * seconds
        }
        if growth > 25, growth > believed { unseen += growth - min(line, growth) }
        last = (metrics, newest)
        hasGrown = true
    }
}
