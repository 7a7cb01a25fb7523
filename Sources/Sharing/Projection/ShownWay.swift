import SensorModel

/// What of the recorded distance and moving time may count as run in view.
///
/// The session credits a hole of its track with the first good position behind it, and dates pauses back.
/// Where the hole, or the pause, began in a hidden place, that would tell how far away the place is. So
/// what is added at once is compared with the way between the positions in view.
struct ShownWay: Sendable {
    /// The part of recorded totals that was not in view.
    struct Excess: Sendable {
        var meters = 0.0
        var movingSeconds = 0.0
    }

    /// Smaller additions are a second of running, or a receiver's noise, meters.
    private static let slackMeters = 25.0
    /// How much longer than the straight line a way with steps and bends may be.
    private static let wayFactor = 1.5
    /// Where no position comes, steps and sensors are believed up to this speed, m/s.
    private static let speedMax = 15.0

    private let start: (elapsedSeconds: Double, movingSeconds: Double)
    /// The totals that were last compared.
    private var meters: Double
    /// Where and when the distance grew last, or the stretch began.
    private var grown: (place: LocalPlane?, seconds: Double)
    private var newest: LocalPlane?
    /// Whether the distance has not grown in view yet: what grows first may have begun hidden.
    private var isFirst = true
    /// What was taken from the moving time of the stretch.
    private var hiddenMoving = 0.0

    /// - Parameter metrics: Recorded metrics with which the stretch begins.
    init(_ metrics: Metrics) {
        start = (metrics.elapsedSeconds, metrics.movingSeconds)
        meters = metrics.distanceMeters ?? 0
        newest = metrics.position.map {
            LocalPlane(latitude: $0.latitude, longitude: $0.longitude)
        }
        grown = (newest, metrics.elapsedSeconds)
    }

    /// - Parameter metrics: The stretch's next metrics, as recorded.
    /// - Returns: What they add to the excess.
    mutating func update(_ metrics: Metrics) -> Excess {
        let place = metrics.position.map {
            LocalPlane(latitude: $0.latitude, longitude: $0.longitude)
        }
        var excess = Excess(movingSeconds: movingExcess(metrics))
        newest = place ?? newest
        let added = (metrics.distanceMeters ?? 0) - meters
        meters += added
        guard added > 0 else { return excess }
        let straight = straightMeters(to: metrics.position)
        let allowed =
            if place != nil, isFirst {
                max(Self.slackMeters, straight)
            } else if straight > 0 {
                Self.slackMeters + Self.wayFactor * straight
            } else {
                max(Self.slackMeters, Self.speedMax * (metrics.elapsedSeconds - grown.seconds))
            }
        if added > allowed { excess.meters = added - min(straight, added) }
        (grown, isFirst) = ((newest, metrics.elapsedSeconds), false)
        return excess
    }

    /// - Returns: Meters between where the distance grew last and a position; 0 without one.
    private func straightMeters(to position: PositionMetric?) -> Double {
        guard let position, let place = grown.place else { return 0 }
        return place.squaredMeters(toLatitude: position.latitude, longitude: position.longitude)
            .squareRoot()
    }

    /// Moving time of the stretch is between none and its length.
    private mutating func movingExcess(_ metrics: Metrics) -> Double {
        let moving = metrics.movingSeconds - start.movingSeconds - hiddenMoving
        let longest = metrics.elapsedSeconds - start.elapsedSeconds
        let excess = moving - min(max(0, moving), max(0, longest))
        hiddenMoving += excess
        return excess
    }
}
