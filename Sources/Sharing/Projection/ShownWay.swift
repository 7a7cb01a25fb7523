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

    /// Where the stretch began; `nil`: no position was known.
    private let start: LocalPlane?
    /// What of the added meters counts.
    private var counted = 0.0
    /// Where and when a position that the session measures with last added to the distance in view; `nil`:
    /// none did, and what the next one adds may have begun hidden.
    private var anchor: (place: LocalPlane, seconds: Double)?
    /// What was taken from the moving time of the stretch.
    private var hiddenMoving = 0.0
    private var excess = Excess()

    /// - Parameter metrics: Recorded metrics with which the stretch begins.
    init(_ metrics: Metrics) { start = metrics.position.map(LocalPlane.init) }

    /// The excess since the last call.
    mutating func takeExcess() -> Excess {
        defer { excess = Excess() }
        return excess
    }

    /// - Parameters:
    ///   - metrics: The stretch's next metrics, as recorded.
    ///   - before: The metrics before them.
    ///   - totals: Those at the stretch's start.
    mutating func update(
        _ metrics: Metrics, after before: Metrics, since totals: SessionTotals
    ) {
        excess.movingSeconds += movingExcess(metrics, since: totals)
        let added = (metrics.distanceMeters ?? 0) - (before.distanceMeters ?? 0)
        guard added > 0 else { return }
        let sinceStart = metrics.elapsedSeconds - totals.elapsedSeconds
        let (allowed, way) = allowance(
            to: metrics.position, at: metrics.elapsedSeconds, sinceStart)
        let taken = added > max(Self.slackMeters, allowed) ? min(way, added) : added
        counted += taken
        excess.meters += added - taken
        if let position = metrics.position, position.isMeasuredWith,
            !position.isThere(before.position)
        {
            anchor = (LocalPlane(position), metrics.elapsedSeconds)
        }
    }

    /// - Returns: Meters that may be added at a position, and those that count where more are.
    private func allowance(
        to position: PositionMetric?, at seconds: Double, _ secondsSinceStart: Double
    ) -> (allowed: Double, way: Double) {
        if let anchor {
            let way = anchor.place.meters(to: position)
            guard way == 0 else { return (Self.slackMeters + Self.wayFactor * way, way) }
            return (Self.speedMax * (seconds - anchor.seconds), 0)
        }
        guard let start else { return (Self.speedMax * secondsSinceStart - counted, 0) }
        let way = max(0, start.meters(to: position) - counted)
        return (way, way)
    }

    /// Moving time of the stretch is between none and its length.
    private mutating func movingExcess(
        _ metrics: Metrics, since totals: SessionTotals
    ) -> Double {
        let moving = metrics.movingSeconds - totals.movingSeconds - hiddenMoving
        let longest = metrics.elapsedSeconds - totals.elapsedSeconds
        let excess = moving - min(max(0, moving), max(0, longest))
        hiddenMoving += excess
        return excess
    }
}

extension LocalPlane {
    fileprivate init(_ position: PositionMetric) {
        self.init(latitude: position.latitude, longitude: position.longitude)
    }

    /// Meters to a position; 0 without one.
    fileprivate func meters(to position: PositionMetric?) -> Double {
        guard let position else { return 0 }
        return squaredMeters(toLatitude: position.latitude, longitude: position.longitude)
            .squareRoot()
    }
}

extension PositionMetric {
    fileprivate func isThere(_ other: PositionMetric?) -> Bool {
        latitude == other?.latitude && longitude == other?.longitude
    }

    /// Whether it is accurate enough for the session's distance.
    fileprivate var isMeasuredWith: Bool {
        horizontalAccuracyMeters.map { $0 > 0 && $0 < 20 } ?? true
    }
}
