import Foundation
import Simulator

/// A generated town: streets as a graph, buildings beside them, gentle hills.
///
/// Its grid is irregular: blocks of 60 to 200 m, missing links, diagonals and bent streets. So the
/// way along the streets is longer than the straight line by an amount that depends on the place.
public struct Town: Sendable {
    public struct Street: Sendable {
        public let from: Int
        public let to: Int
        public let length: Double
        /// The middle of the street, where it is farthest from the straight line.
        public let bend: Spot
    }

    public struct Building: Sendable {
        public let spot: Spot
        public let street: Int
        /// Meters along the street from its `from`.
        public let along: Double
        /// The place at which the path to the door leaves the street.
        public let curb: Spot
    }

    /// The homes lie in the middle, so that runs of 6 km one way stay in town.
    public static let halfWidth = 6000.0

    public private(set) var corners: [Spot] = []
    public private(set) var streets: [Street] = []
    public private(set) var buildings: [Building] = []
    /// The streets of each corner, and the corner at their other end.
    var firstLink: [Int32] = []
    var links: [(corner: Int32, street: Int32)] = []
    private var buildingsByTile: [Int: [Int32]] = [:]

    private static let tile = 100.0

    public init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let columns = Self.lines(&generator)
        let rows = Self.lines(&generator)
        for row in rows {
            for column in columns {
                corners.append(
                    Spot(
                        east: column + 14 * generator.gaussian(),
                        north: row + 14 * generator.gaussian()))
            }
        }
        layStreets(columns: columns.count, rows: rows.count, &generator)
        keepLargestPart()
        linkCorners()
        build(&generator)
    }

    private static func lines(_ generator: inout SeededGenerator) -> [Double] {
        var at = -halfWidth
        var lines: [Double] = []
        while at < halfWidth {
            lines.append(at)
            at += 60 + 140 * generator.uniform()
        }
        return lines
    }

    private mutating func layStreets(
        columns: Int, rows: Int, _ generator: inout SeededGenerator
    ) {
        for row in 0..<rows {
            for column in 0..<columns {
                let corner = row * columns + column
                if column + 1 < columns, !generator.happens(0.13) {
                    lay(corner, corner + 1, &generator)
                }
                if row + 1 < rows, !generator.happens(0.13) {
                    lay(corner, corner + columns, &generator)
                }
                guard column + 1 < columns, row + 1 < rows, generator.happens(0.08) else {
                    continue
                }
                if generator.happens(0.5) {
                    lay(corner, corner + columns + 1, &generator)
                } else {
                    lay(corner + 1, corner + columns, &generator)
                }
            }
        }
    }

    private mutating func lay(_ from: Int, _ to: Int, _ generator: inout SeededGenerator) {
        let (one, other) = (corners[from], corners[to])
        let way = other - one
        // A third of the streets are bent, by up to a quarter of their length.
        let bow = generator.happens(0.35) ? 0.5 * (generator.uniform() - 0.5) : 0
        let bend =
            (one + other) * 0.5 + Spot(east: -way.north, north: way.east) * bow
        streets.append(
            Street(
                from: from, to: to, length: one.meters(to: bend) + bend.meters(to: other),
                bend: bend))
    }

    /// Removes streets that are not connected to the rest.
    private mutating func keepLargestPart() {
        var root = Array(corners.indices)
        func find(_ corner: Int) -> Int {
            var corner = corner
            while root[corner] != corner {
                root[corner] = root[root[corner]]
                corner = root[corner]
            }
            return corner
        }
        for street in streets { root[find(street.from)] = find(street.to) }
        var sizes: [Int: Int] = [:]
        for corner in corners.indices { sizes[find(corner), default: 0] += 1 }
        let largest = sizes.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        streets.removeAll { find($0.from) != largest }
    }

    private mutating func linkCorners() {
        var byCorner: [[(corner: Int32, street: Int32)]] = Array(
            repeating: [], count: corners.count)
        for (index, street) in streets.enumerated() {
            byCorner[street.from].append((Int32(street.to), Int32(index)))
            byCorner[street.to].append((Int32(street.from), Int32(index)))
        }
        firstLink = [0]
        for linked in byCorner {
            links.append(contentsOf: linked)
            firstLink.append(Int32(links.count))
        }
    }

    private mutating func build(_ generator: inout SeededGenerator) {
        for (index, street) in streets.enumerated() {
            var along = 4 + 12 * generator.uniform()
            var isLeft = generator.happens(0.5)
            while along < street.length - 4 {
                let (curb, way) = place(onStreet: index, along: along)
                let side = (isLeft ? 1.0 : -1.0) * (8 + 6 * generator.uniform())
                buildings.append(
                    Building(
                        spot: curb + Spot(east: -way.north, north: way.east) * side,
                        street: index, along: along, curb: curb))
                isLeft.toggle()
                along += 12 + 8 * generator.uniform()
            }
        }
        for (index, building) in buildings.enumerated() {
            buildingsByTile[Self.tile(of: building.spot), default: []].append(Int32(index))
        }
    }

    /// The point so far along a street, and the direction of the street there.
    public func place(onStreet index: Int, along: Double) -> (spot: Spot, way: Spot) {
        let street = streets[index]
        let (from, to) = (corners[street.from], corners[street.to])
        let half = from.meters(to: street.bend)
        let (start, end, rest) =
            along <= half ? (from, street.bend, along) : (street.bend, to, along - half)
        let way = (end - start) * (1 / max(start.meters(to: end), 1e-9))
        return (start + way * rest, way)
    }

    private static func tile(of spot: Spot) -> Int {
        Int((spot.east / tile).rounded(.down)) * 4096 + Int((spot.north / tile).rounded(.down))
    }

    /// Indices of the buildings within `meters` of a point.
    public func buildings(within meters: Double, of spot: Spot) -> [Int] {
        var found: [Int] = []
        let reach = Int((meters / Self.tile).rounded(.up))
        let middle = Self.tile(of: spot)
        for column in -reach...reach {
            for row in -reach...reach {
                for index in buildingsByTile[middle + column * 4096 + row] ?? []
                where buildings[Int(index)].spot.meters(to: spot) <= meters {
                    found.append(Int(index))
                }
            }
        }
        return found.sorted()
    }

    /// Altitude in meters: hills of 25 m with smaller ones of 4 m.
    public static func altitude(at spot: Spot) -> Double {
        25 * sin(spot.east / 310) * cos(spot.north / 270)
            + 4 * sin((spot.east + spot.north) / 90)
    }
}
