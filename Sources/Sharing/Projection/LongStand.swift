/// Detects a stand so long that one run ends with it and another begins.
///
/// An app that never stops records nights at home in one session with the runs around them.
/// Receivers in houses jump away and come back, and no data tell a jump from a short walk. So a
/// place is left only when the receiver stays away, and several places are kept at a time.
struct LongStand: Sendable {
    /// Minimum of a long stand, above most rests in a race. A place unseen for so long is left.
    static let secondsMin = 1800.0
    /// Radius of a place: receivers in houses wander by this much.
    static let meters = 100.0
    /// Minimum share of the time spent at the place. A runner on laps of 600 m has less; a receiver
    /// that is elsewhere every second time has more.
    private static let shareMin = 0.4
    private static let placesMax = 4
    /// Maximum that a position's own accuracy adds to ``meters``.
    private static let accuracyMetersMax = 500.0

    private struct Place: Sendable {
        let plane: LocalPlane
        let since: Double
        private(set) var last: Double
        /// Seconds spent there.
        private(set) var seconds = 0.0
        /// Whether the newest position is there.
        private(set) var isHere = true
        var isLong = false
        /// The newest position there, in meters from the first one.
        private var newest = (east: 0.0, north: 0.0)
        /// The sum of all, each times the seconds until the next.
        private var sum = (east: 0.0, north: 0.0)

        init(_ plane: LocalPlane, at seconds: Double) {
            self.plane = plane
            (since, last) = (seconds, seconds)
        }

        /// The mean position. The first one lies on the way there, up to ``LongStand/meters`` off.
        var center: LocalPlane {
            guard seconds > 0 else { return plane }
            return plane.moved(eastMeters: sum.east / seconds, northMeters: sum.north / seconds)
        }

        mutating func update(
            _ latitude: Double, _ longitude: Double, accuracy: Double, at now: Double,
            after passed: Double
        ) {
            if isHere {
                seconds += passed
                sum.east += newest.east * passed
                sum.north += newest.north * passed
            }
            isHere = contains(latitude, longitude, accuracy: accuracy)
            guard isHere else { return }
            last = now
            newest = plane.meters(toLatitude: latitude, longitude: longitude)
        }

        func contains(_ latitude: Double, _ longitude: Double, accuracy: Double) -> Bool {
            let reach = LongStand.meters + min(accuracy, LongStand.accuracyMetersMax)
            return plane.squaredMeters(toLatitude: latitude, longitude: longitude)
                <= reach * reach
        }
    }

    private var places: [Place] = []
    private var last = 0.0
    private var pace = RunningPace()
    /// Whether the newest position is at the place of a long stand.
    private(set) var isLong = false
    /// Whether the newest position is at such a place, and the one before was not.
    private(set) var hasBegun = false
    /// The place of a stand that has just become long.
    private(set) var newPlace: LocalPlane?

    /// - Parameters:
    ///   - latitude: Latitude of the position, degrees.
    ///   - longitude: Longitude of the position, degrees.
    ///   - accuracy: Horizontal accuracy, meters; 0: unknown.
    ///   - seconds: The session's time.
    mutating func update(
        _ latitude: Double, _ longitude: Double, accuracy: Double, at seconds: Double
    ) {
        let passed = max(0, seconds - last)
        last = seconds
        // Laps pass a place again and again; nobody stands there.
        let stood = pace.runs(latitude, longitude, at: seconds) ? 0 : passed
        newPlace = nil
        for index in places.indices {
            places[index].update(
                latitude, longitude, accuracy: accuracy, at: seconds, after: stood)
            guard places[index].isHere else { continue }
            let span = seconds - places[index].since
            guard !places[index].isLong, newPlace == nil, span >= Self.secondsMin,
                places[index].seconds >= Self.shareMin * span
            else { continue }
            places[index].isLong = true
            newPlace = places[index].center
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
        places.append(Place(LocalPlane(latitude: latitude, longitude: longitude), at: seconds))
    }
}
