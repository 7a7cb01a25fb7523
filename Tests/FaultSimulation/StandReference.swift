import SensorModel

/// Finds a stand long enough for another run to begin, among the four places at which most time of
/// the last half hour was spent.
struct StandReference {
    private struct Place {
        let first: PositionMetric
        let since: Double
        /// Session seconds of each position, and whether it was at this place.
        var visits: [(seconds: Double, isHere: Bool, position: PositionMetric, runs: Bool)]
        var isLong = false

        var last: Double { visits.last { $0.isHere }?.seconds ?? since }

        var stays: [(seconds: Double, position: PositionMetric)] {
            zip(visits, visits.dropFirst()).filter { $0.isHere && !$1.runs }.map {
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
    /// Positions in steps of a runner, up to the newest one.
    private var way: [(seconds: Double, position: PositionMetric)] = []

    /// Whether the runner came 90 m in a minute up to here, without a pause or a jump. The position of
    /// a minute ago is the newest that is one, of those that are 10 s apart.
    private mutating func runs(to here: PositionMetric, at seconds: Double) -> Bool {
        let seconds = max(seconds, way.last?.seconds ?? seconds)
        if let last = way.last {
            let passed = seconds - last.seconds
            if passed > 15 || TrackReference.meters(last.position, here) > 6 * passed + 5 {
                way = []
            }
        }
        way.append((seconds, here))
        var anchor: Int?
        var newest = -Double.infinity
        for (index, point) in way.enumerated() where point.seconds - newest >= 10 {
            newest = point.seconds
            if point.seconds <= seconds - 60 { anchor = index }
        }
        guard let anchor else { return false }
        return way.count - 1 - anchor >= 6
            && TrackReference.meters(way[anchor].position, here) >= 90
    }

    var isAtStand: Bool { places.contains { $0.isLong && $0.visits.last?.isHere ?? false } }

    /// - Returns: The place at which this position completes half an hour; `nil`: none.
    mutating func pass(_ here: PositionMetric, at seconds: Double) -> PositionMetric? {
        var stand: PositionMetric?
        let runs = runs(to: here, at: seconds)
        for index in places.indices {
            places[index].visits.append((seconds, places[index].contains(here), here, runs))
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
        places.append(Place(first: here, since: seconds, visits: [(seconds, true, here, runs)]))
        return stand
    }
}
