import SensorModel

/// Decides how much of the recorded distance and moving time may count as run in view.
///
/// The session credits a hole of its track at the first good position after it, and dates pauses
/// back. If the hole or the pause began in a hidden place, that would reveal how far away the place
/// is. So each addition is compared with the way between the positions in view.
struct ShownWay: Sendable {
    /// The part of recorded totals that was not in view.
    struct Excess: Sendable {
        var meters = 0.0
        var movingSeconds = 0.0
    }

    /// Smaller additions are a second of running, or a receiver's noise, meters.
    private static let slackMeters = 25.0
    /// Maximum ratio of a way with steps and bends to the straight line.
    private static let wayFactor = 1.5
    /// Maximum speed that is accepted from steps and sensors while no position comes, m/s.
    private static let speedMax = 15.0

    /// The place where the stretch began; `nil` if no position was known.
    private let start: LocalPlane?
    /// Added meters that counted.
    private var counted = 0.0
    /// Place and time of the last position that the session measures with and that added to the
    /// distance in view; `nil` if none did: the next addition may have begun in a hidden place.
    private var anchor: (place: LocalPlane, seconds: Double)?
    /// Seconds that were taken from the moving time of the stretch.
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
    ///   - totals: The totals at the stretch's start.
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

    /// - Returns: Meters that may be added at a position, and meters that count if more are added.
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

    /// The excess of the stretch's moving time over the range from 0 to the stretch's length.
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
