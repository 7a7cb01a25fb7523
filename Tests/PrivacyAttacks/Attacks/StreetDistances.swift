/// Distances along the streets from a place to each candidate building.
struct StreetDistances: Sendable {
    var meters: [Double] = []
    /// Climbed on the way from the building to the place.
    var climbFrom: [Double] = []
    /// Climbed on the way from the place to the building.
    var climbTo: [Double] = []
}

/// Looks up distances for places on the streets; places within 20 m of each other count as one.
struct StreetMap: Sendable {
    let town: Town
    private let altitudes: [Double]
    private var search: StreetSearch

    init(_ town: Town) {
        self.town = town
        altitudes = town.corners.map(Town.altitude)
        search = StreetSearch(town)
    }

    mutating func distances(
        from spot: Spot, to candidates: Candidates, reach: Double
    ) -> StreetDistances {
        var distances = StreetDistances()
        guard let (street, along) = nearestStreet(to: spot) else { return distances }
        let source = town.streets[street]
        search.run(
            in: town, from: [(source.from, along), (source.to, source.length - along)],
            reach: reach, altitudes: altitudes)
        let height = Town.altitude(at: spot)
        distances.meters.reserveCapacity(candidates.buildings.count)
        for index in candidates.buildings {
            let building = town.buildings[index]
            let there = town.streets[building.street]
            var meters = search.meters[there.from] + building.along
            var corner = there.from
            let other = search.meters[there.to] + there.length - building.along
            if other < meters { (meters, corner) = (other, there.to) }
            let rise = Town.altitude(at: building.spot) - altitudes[corner]
            let firstRise = altitudes[source.from] - height
            var up = search.climb[corner] + max(rise, 0) + max(firstRise, 0) / 2
            var down = search.descent[corner] + max(-rise, 0) + max(-firstRise, 0) / 2
            if building.street == street {
                meters = abs(building.along - along)
                let rise = Town.altitude(at: building.spot) - height
                (up, down) = (max(rise, 0), max(-rise, 0))
            }
            distances.meters.append(min(meters, 2 * reach) + 10)
            distances.climbTo.append(up)
            distances.climbFrom.append(down)
        }
        return distances
    }

    private func nearestStreet(to spot: Spot) -> (street: Int, along: Double)? {
        let near = town.buildings(within: 60, of: spot)
        let nearest = near.min {
            town.buildings[$0].curb.meters(to: spot) < town.buildings[$1].curb.meters(to: spot)
        }
        guard let nearest else { return nil }
        let building = town.buildings[nearest]
        let (curb, way) = town.place(onStreet: building.street, along: building.along)
        let off = spot - curb
        let along = building.along + off.east * way.east + off.north * way.north
        return (building.street, min(max(along, 0), town.streets[building.street].length))
    }
}

/// Spots, with those within some meters of each other merged.
struct Crossings: Sendable {
    private(set) var spots: [Spot] = []
    private(set) var counts: [Int] = []

    private static let mergeMeters = 22.0

    /// - Returns: Index of the spot's crossing.
    mutating func add(_ spot: Spot) -> Int {
        for index in spots.indices where spots[index].meters(to: spot) < Self.mergeMeters {
            let count = Double(counts[index])
            spots[index] = (spots[index] * count + spot) * (1 / (count + 1))
            counts[index] += 1
            return index
        }
        spots.append(spot)
        counts.append(1)
        return spots.count - 1
    }
}
