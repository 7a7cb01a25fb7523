/// A route along streets from a door and back to it.
struct Route: Sendable {
    private(set) var points: [Spot]
    /// Meters from the door to each point.
    private var along: [Double] = [0]
    private(set) var cornersAlong: [Double] = []

    init(_ town: Town, home: Town.Building, corners: [Int]) {
        points = [home.spot, home.curb]
        if let first = corners.first { leaveHome(home, by: first, in: town) }
        for (from, to) in zip(corners, corners.dropFirst()) where from != to {
            if let street = Self.street(from, to, in: town) { points.append(street.bend) }
            points.append(town.corners[to])
        }
        if let last = corners.last {
            var back = Route(home, by: last, town)
            back.points.reverse()
            points.append(contentsOf: back.points.dropFirst())
        }
        measure(corners: Set(corners.map { town.corners[$0] }))
    }

    /// Makes the part from the door to the first corner.
    private init(_ home: Town.Building, by corner: Int, _ town: Town) {
        points = [home.spot, home.curb]
        leaveHome(home, by: corner, in: town)
    }

    private mutating func leaveHome(_ home: Town.Building, by corner: Int, in town: Town) {
        let street = town.streets[home.street]
        let half = town.corners[street.from].meters(to: street.bend)
        if corner == street.from ? home.along > half : home.along < half {
            points.append(street.bend)
        }
        points.append(town.corners[corner])
    }

    private static func street(_ from: Int, _ to: Int, in town: Town) -> Town.Street? {
        for link in Int(town.firstLink[from])..<Int(town.firstLink[from + 1])
        where Int(town.links[link].corner) == to {
            return town.streets[Int(town.links[link].street)]
        }
        return nil
    }

    private mutating func measure(corners: Set<Spot>) {
        for (from, to) in zip(points, points.dropFirst()) {
            along.append(along[along.count - 1] + from.meters(to: to))
            if corners.contains(to) { cornersAlong.append(along[along.count - 1]) }
        }
    }

    var length: Double { along[along.count - 1] }

    /// Returns the place at a distance along the route.
    ///
    /// - Parameters:
    ///   - meters: Distance from the door.
    ///   - hint: The leg of the last answer, because places are requested in order.
    /// - Returns: The place, or the end of a shorter route.
    func spot(at meters: Double, hint: inout Int) -> Spot {
        while hint + 2 < along.count, along[hint + 1] < meters { hint += 1 }
        let leg = along[hint + 1] - along[hint]
        let part = leg > 0 ? min((meters - along[hint]) / leg, 1) : 1
        return points[hint] + (points[hint + 1] - points[hint]) * part
    }
}
