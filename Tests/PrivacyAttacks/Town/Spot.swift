/// A point of the town's plane, meters east and north of its middle.
public struct Spot: Hashable, Sendable {
    public var east: Double
    public var north: Double

    public init(east: Double, north: Double) {
        self.east = east
        self.north = north
    }

    public static func + (one: Spot, other: Spot) -> Spot {
        Spot(east: one.east + other.east, north: one.north + other.north)
    }

    public static func - (one: Spot, other: Spot) -> Spot {
        Spot(east: one.east - other.east, north: one.north - other.north)
    }

    public static func * (one: Spot, factor: Double) -> Spot {
        Spot(east: one.east * factor, north: one.north * factor)
    }

    public var length: Double { (east * east + north * north).squareRoot() }

    public func meters(to other: Spot) -> Double { (self - other).length }

    public static func mean(_ spots: [Spot]) -> Spot {
        spots.reduce(Spot(east: 0, north: 0), +) * (1 / Double(max(spots.count, 1)))
    }
}

/// The town's plane on the globe; treating it as flat has an error of 1 m in a kilometer.
public enum TownFrame {
    static let latitude = 52.0
    static let longitude = 13.0
    static let metersPerDegreeNorth = 6_371_000 * Double.pi / 180
    /// Uses the cosine of ``latitude`` as a literal.
    static let metersPerDegreeEast = metersPerDegreeNorth * 0.615_661_475_325_658_3

    public static func spot(latitude: Double, longitude: Double) -> Spot {
        Spot(
            east: (longitude - Self.longitude) * metersPerDegreeEast,
            north: (latitude - Self.latitude) * metersPerDegreeNorth)
    }

    public static func latitude(of spot: Spot) -> Double {
        latitude + spot.north / metersPerDegreeNorth
    }

    public static func longitude(of spot: Spot) -> Double {
        longitude + spot.east / metersPerDegreeEast
    }
}
