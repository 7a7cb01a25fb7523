import Foundation
import Simulator

/// Offsets interpolated like the product's, with a ring of any size.
struct OffsetGrid: Sendable {
    let ring: ClosedRange<Double>
    let salt: UInt64
    private var cell: (column: Double, row: Double)?
    /// South-west, south-east, north-west, north-east.
    private var corners: [Spot] = []

    private static let cellMeters = 1100.0

    init(ring: ClosedRange<Double>, salt: UInt64) {
        self.ring = ring
        self.salt = salt
    }

    mutating func offset(at spot: Spot) -> Spot {
        let column = (spot.east / Self.cellMeters).rounded(.down)
        let row = (spot.north / Self.cellMeters).rounded(.down)
        if cell?.column != column || cell?.row != row {
            cell = (column, row)
            corners = [(0.0, 0.0), (1, 0), (0, 1), (1, 1)].map {
                Self.corner(column + $0.0, row + $0.1, salt)
            }
        }
        let east = spot.east / Self.cellMeters - column
        let north = spot.north / Self.cellMeters - row
        let weights = [
            (1 - east) * (1 - north), east * (1 - north), (1 - east) * north, east * north,
        ]
        var sum = Spot(east: 0, north: 0)
        var squares = 0.0
        for (weight, corner) in zip(weights, corners) {
            sum = sum + corner * weight
            squares += weight * weight
        }
        let vector = sum * (1 / squares.squareRoot())
        let share = 1 - exp(-vector.length * vector.length / 2)
        let inner = ring.lowerBound * ring.lowerBound
        let outer = ring.upperBound * ring.upperBound
        let length = (inner + (outer - inner) * share).squareRoot()
        return vector * (length / max(vector.length, 1e-9))
    }

    private static func corner(_ column: Double, _ row: Double, _ salt: UInt64) -> Spot {
        var generator = SeededGenerator(seed: salt ^ column.bitPattern)
        generator = SeededGenerator(seed: generator.next() ^ row.bitPattern)
        return Spot(east: generator.gaussian(), north: generator.gaussian())
    }
}
