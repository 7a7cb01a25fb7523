/// A stand so long that a run ends with it and another begins: an app that never stops records the nights
/// at home in one session with the runs before and after.
///
/// Receivers in houses leap away and come back, and nothing tells such a leap from a short walk. So a
/// place is left only when the receiver stays away, and several places are kept at a time.
struct LongStand: Sendable {
    /// Longer than a rest in a race, mostly. A place that was not seen for so long is left.
    static let secondsMin = 1800.0
    /// Receivers in houses wander by this much.
    static let meters = 100.0
    /// The share of the time that is spent at the place: less than of a runner on laps of 600 m, more than
    /// of a receiver that is somewhere else every second time.
    private static let shareMin = 0.4
    private static let placesMax = 4
    /// What a position's own accuracy may add to ``meters``.
    private static let accuracyMetersMax = 500.0

    private struct Place: Sendable {
        let plane: LocalPlane
        let since: Double
        var last: Double
        /// Seconds that were spent there.
        var seconds = 0.0
        /// Whether the newest position is there.
        var isHere = true
        var isLong = false

        func contains(_ latitude: Double, _ longitude: Double, accuracy: Double) -> Bool {
            let reach = LongStand.meters + min(accuracy, LongStand.accuracyMetersMax)
            return plane.squaredMeters(toLatitude: latitude, longitude: longitude)
                <= reach * reach
        }
    }

    private var places: [Place] = []
    private var last = 0.0
    /// Whether the newest position is at the place of a long stand.
    private(set) var isLong = false
    /// Whether it is, and the one before was not.
    private(set) var hasBegun = false
    /// The place of a stand that has just become long.
    private(set) var newPlace: LocalPlane?

    /// - Parameters:
    ///   - latitude: Of the position, degrees.
    ///   - longitude: The same.
    ///   - accuracy: Horizontal accuracy, meters; 0: unknown.
    ///   - seconds: The session's time.
    mutating func update(
        _ latitude: Double, _ longitude: Double, accuracy: Double, at seconds: Double
    ) {
        let passed = max(0, seconds - last)
        last = seconds
        newPlace = nil
        for index in places.indices {
            if places[index].isHere { places[index].seconds += passed }
            places[index].isHere = places[index].contains(latitude, longitude, accuracy: accuracy)
            guard places[index].isHere else { continue }
            places[index].last = seconds
            let span = seconds - places[index].since
            guard !places[index].isLong, newPlace == nil, span >= Self.secondsMin,
                places[index].seconds >= Self.shareMin * span
            else { continue }
            places[index].isLong = true
            newPlace = places[index].plane
        }
        places.removeAll { seconds - $0.last > Self.secondsMin }
        if !places.contains(where: \.isHere) { begin(latitude, longitude, at: seconds) }
        let wasLong = isLong
        isLong = places.contains { $0.isHere && $0.isLong }
        hasBegun = isLong && !wasLong
    }

    private mutating func begin(_ latitude: Double, _ longitude: Double, at seconds: Double) {
        if places.count == Self.placesMax,
            let shortest = places.indices.min(by: { places[$0].seconds < places[$1].seconds })
        {
            places.remove(at: shortest)
        }
        places.append(
            Place(
                plane: LocalPlane(latitude: latitude, longitude: longitude), since: seconds,
                last: seconds))
    }
}
