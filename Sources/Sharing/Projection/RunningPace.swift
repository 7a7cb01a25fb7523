/// Tells whether the newest positions are those of a runner under way.
///
/// A receiver in a house wanders and jumps too, but not for a minute in steps of a runner, 90 m from
/// where it was.
struct RunningPace: Sendable {
    /// A position at least ``secondsApart`` after the one before.
    private struct Anchor: Sendable {
        let plane: LocalPlane
        let seconds: Double
        /// Number of positions up to this one since the steps became a runner's.
        let count: Int
    }

    private static let secondsApart = 10.0
    private static let secondsBack = 60.0
    private static let countMin = 6
    private static let metersMin = 90.0
    /// Longest step, seconds; its length is bounded by ``speedMax`` and ``scatterMeters``.
    private static let stepSecondsMax = 15.0
    private static let speedMax = 6.0
    private static let scatterMeters = 5.0

    /// Anchors of the last ``secondsBack``, and the newest one before; oldest first.
    private var anchors: [Anchor] = []
    private var newest: (plane: LocalPlane, seconds: Double)?
    private var count = 0

    /// - Parameters:
    ///   - latitude: The next position, degrees.
    ///   - longitude: The same.
    ///   - seconds: Time of the session.
    /// - Returns: Whether the runner has been under way for a minute.
    mutating func runs(_ latitude: Double, _ longitude: Double, at seconds: Double) -> Bool {
        let seconds = max(seconds, newest?.seconds ?? seconds)
        func meters(from plane: LocalPlane) -> Double {
            plane.squaredMeters(toLatitude: latitude, longitude: longitude).squareRoot()
        }
        if let newest {
            let passed = seconds - newest.seconds
            let isStep =
                passed <= Self.stepSecondsMax
                && meters(from: newest.plane) <= Self.speedMax * passed + Self.scatterMeters
            if !isStep { (anchors, count) = ([], 0) }
        }
        let plane = LocalPlane(latitude: latitude, longitude: longitude)
        newest = (plane, seconds)
        count += 1
        let from = seconds - Self.secondsBack
        while anchors.count > 1, anchors[1].seconds <= from { anchors.removeFirst() }
        defer {
            if anchors.last.map({ seconds - $0.seconds >= Self.secondsApart }) ?? true {
                anchors.append(Anchor(plane: plane, seconds: seconds, count: count))
            }
        }
        guard let anchor = anchors.first, anchor.seconds <= from else { return false }
        return count - anchor.count >= Self.countMin
            && meters(from: anchor.plane) >= Self.metersMin
    }
}
