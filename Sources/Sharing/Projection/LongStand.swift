/// A stand so long that a run ends with it and another begins: an app that never stops records the nights
/// at home in one session with the runs before and after.
struct LongStand: Sendable {
    /// Longer than a rest in a race, mostly.
    static let secondsMin = 1800.0
    /// Receivers in houses wander by this much.
    static let meters = 100.0

    /// Where the runner stands, or was less than ``meters`` ago.
    private(set) var place: LocalPlane?
    private var since = 0.0
    /// Whether the stand is long.
    private(set) var isLong = false
    /// Whether it has just become long.
    private(set) var hasBecomeLong = false
    /// Whether a long stand has just ended.
    private(set) var hasEnded = false

    /// - Parameters:
    ///   - latitude: Of the position, degrees.
    ///   - longitude: The same.
    ///   - seconds: The session's time.
    mutating func update(_ latitude: Double, _ longitude: Double, at seconds: Double) {
        let wasLong = isLong
        let square = Self.meters * Self.meters
        let isThere =
            place.map { $0.squaredMeters(toLatitude: latitude, longitude: longitude) <= square }
            ?? false
        if !isThere {
            place = LocalPlane(latitude: latitude, longitude: longitude)
            since = seconds
        }
        isLong = isThere && seconds - since >= Self.secondsMin
        hasBecomeLong = isLong && !wasLong
        hasEnded = wasLong && !isLong
    }
}
