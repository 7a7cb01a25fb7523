import SensorModel

/// Speed over the last seconds of a track, from the first to the last point, so that scatter does
/// not add up.
struct TrackSpeed: Sendable {
    /// Window, seconds: long against a fix's scatter, short against a stop.
    static let windowSeconds = 4.0
    static let pointsMax = 48

    private var points: [(location: Location, time: Timestamp)] = []

    mutating func clear() {
        points.removeAll(keepingCapacity: true)
    }

    mutating func add(_ location: Location, at time: Timestamp) {
        points.append((location, time))
        while points.count > 2,
            points.count > Self.pointsMax
                || time.seconds(since: points[1].time) >= Self.windowSeconds - 0.5
        {
            points.removeFirst()
        }
    }

    /// Speed over the window; `nil` without two points.
    var metersPerSecond: Double? {
        speed(from: points.first)
    }

    /// Speed between the last two points.
    var newestMetersPerSecond: Double? {
        points.count > 1 ? speed(from: points[points.count - 2]) : nil
    }

    private func speed(from first: (location: Location, time: Timestamp)?) -> Double? {
        guard let first, let last = points.last, last.time > first.time else { return nil }
        return Geodesy.meters(from: first.location, to: last.location)
            / last.time.seconds(since: first.time)
    }

    var newestInterval: (start: Timestamp, end: Timestamp)? {
        guard points.count > 1 else { return nil }
        return (points[points.count - 2].time, points[points.count - 1].time)
    }
}
