import SensorModel

/// Finds a stand long enough for another run to begin, among the four places at which most time of
/// the last half hour was spent.
struct StandReference {
    private struct Place {
        let first: PositionMetric
        let since: Double
        /// Session seconds of each position, and whether it was at this place.
        var visits: [(seconds: Double, isHere: Bool, position: PositionMetric)]
        var isLong = false

        var last: Double { visits.last { $0.isHere }?.seconds ?? since }

        var stays: [(seconds: Double, position: PositionMetric)] {
            zip(visits, visits.dropFirst()).filter(\.0.isHere).map {
                (max(0, $1.seconds - $0.seconds), $0.position)
            }
        }

        var seconds: Double { stays.reduce(0) { $0 + $1.seconds } }

        /// Each position weighs as much as the time until the next.
        var center: PositionMetric {
            guard seconds > 0 else { return first }
            var center = first
            center.latitude = stays.reduce(0) { $0 + $1.seconds * $1.position.latitude } / seconds
            center.longitude =
                stays.reduce(0) { $0 + $1.seconds * $1.position.longitude } / seconds
            return center
        }

        func contains(_ here: PositionMetric) -> Bool {
            let accuracy = min(here.horizontalAccuracyMeters ?? 0, 500)
            return TrackReference.meters(here, first) <= 100 + accuracy
        }
    }

    private var places: [Place] = []

    var isAtStand: Bool { places.contains { $0.isLong && $0.visits.last?.isHere ?? false } }

    /// - Returns: The place at which this position completes half an hour; `nil`: none.
    mutating func pass(_ here: PositionMetric, at seconds: Double) -> PositionMetric? {
        var stand: PositionMetric?
        for index in places.indices {
            places[index].visits.append((seconds, places[index].contains(here), here))
            let place = places[index]
            let span = seconds - place.since
            if place.contains(here), !place.isLong, stand == nil, span >= 1800,
                place.seconds >= 0.4 * span
            {
                places[index].isLong = true
                stand = place.center
            }
        }
        places.removeAll { seconds - $0.last > 1800 }
        guard !places.contains(where: { $0.contains(here) }) else { return stand }
        if places.count == 4, let least = places.map(\.seconds).min(),
            let index = places.firstIndex(where: { $0.seconds == least })
        {
            places.remove(at: index)
        }
        places.append(Place(first: here, since: seconds, visits: [(seconds, true, here)]))
        return stand
    }
}
