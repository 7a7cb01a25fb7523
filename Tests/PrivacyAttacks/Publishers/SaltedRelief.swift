import Simulator

/// Smooth heights between 0 and 1 over the plane, with features of about 150 m, by salt.
struct SaltedRelief: Sendable {
    let salt: UInt64

    func height(at spot: Spot) -> Double {
        let (east, north) = (spot.east / 150, spot.north / 150)
        let (column, row) = (east.rounded(.down), north.rounded(.down))
        let (toEast, toNorth) = (east - column, north - row)
        return corner(column, row) * (1 - toEast) * (1 - toNorth)
            + corner(column + 1, row) * toEast * (1 - toNorth)
            + corner(column, row + 1) * (1 - toEast) * toNorth
            + corner(column + 1, row + 1) * toEast * toNorth
    }

    private func corner(_ column: Double, _ row: Double) -> Double {
        var generator = SeededGenerator(seed: salt ^ column.bitPattern &* 31)
        generator = SeededGenerator(seed: generator.next() ^ row.bitPattern)
        return generator.uniform()
    }
}
