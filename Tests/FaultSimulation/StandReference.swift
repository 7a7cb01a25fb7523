import SensorModel

/// Finds a stand long enough for another run to begin, among the four places at which most time of
/// the last half hour was spent.
struct StandReference {
    private struct Place {
        let at: PositionMetric
        let since: Double
        /// Session seconds of each position, and whether it was at this place.
        var visits: [(seconds: Double, isHere: Bool)]
        var isLong = false

        var last: Double { visits.last { $0.isHere }?.seconds ?? since }

        var seconds: Double {
            zip(visits, visits.dropFirst()).reduce(0) {
                $0 + ($1.0.isHere ? max(0, $1.1.seconds - $1.0.seconds) : 0)
            }
        }

        func contains(_ here: PositionMetric) -> Bool {
            let accuracy = min(here.horizontalAccuracyMeters ?? 0, 500)
            return TrackReference.meters(here, at) <= 100 + accuracy
        }
    }

    private var places: [Place] = []

    var isAtStand: Bool { places.contains { $0.isLong && $0.visits.last?.isHere ?? false } }

    /// - Returns: The place at which this position completes half an hour; `nil`: none.
    mutating func pass(_ here: PositionMetric, at seconds: Double) -> PositionMetric? {
        var stand: PositionMetric?
        for index in places.indices {
            places[index].visits.append((seconds, places[index].contains(here)))
            let place = places[index]
            let span = seconds - place.since
            if place.contains(here), !place.isLong, stand == nil, span >= 1800,
                place.seconds >= 0.4 * span
            {
                places[index].isLong = true
                stand = place.at
            }
        }
        places.removeAll { seconds - $0.last > 1800 }
        guard !places.contains(where: { $0.contains(here) }) else { return stand }
        if places.count == 4, let least = places.map(\.seconds).min(),
            let index = places.firstIndex(where: { $0.seconds == least })
        {
            places.remove(at: index)
        }
        places.append(Place(at: here, since: seconds, visits: [(seconds, true)]))
        return stand
    }
}
