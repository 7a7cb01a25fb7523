/// Distance and direction of a hidden circle from the protected place.
///
/// An attacker who fits a circle through the ends of cut tracks finds the circle's own center. So
/// that center is elsewhere, always at the same place. A new offset every day, or after each small
/// move of a zone, would average out. The circle is large enough to cover the protected place with
/// any offset.
public enum PrivacyOffset {
    /// Range of the distance, meters. An attacker who knows this ring and the circle's center
    /// searches for the home on the ring. The upper bound makes the ring so large that a guess
    /// finds one home in twenty. Every circle is enlarged by the upper bound, whatever its own
    /// offset, so the radius reveals nothing about the offset. The lower bound keeps the average of
    /// the cuts away from the home.
    public static let validLength: ClosedRange<Double> = 220...700

    /// The offset of the circle around a place; the device's salt determines it.
    ///
    /// Without the salt it is uniform over the ring at every place. It is the same for every run
    /// from there, and nearly the same some meters away: random vectors at the corners of a grid
    /// are interpolated. With one offset for each cell, a home at a cell's edge would have two
    /// circles, and lie midway between them.
    package static func around(
        latitude: Double, longitude: Double, salt: UInt64
    ) -> (eastMeters: Double, northMeters: Double) {
        let vector = blend(latitude: latitude, longitude: longitude, salt: salt)
        let square = vector.east * vector.east + vector.north * vector.north
        guard square > 1e-18 else { return (validLength.lowerBound, 0) }
        let inner = validLength.lowerBound * validLength.lowerBound
        let outer = validLength.upperBound * validLength.upperBound
        // Half the square of a normal vector has the exponential distribution.
        let length = (inner + (outer - inner) * exponentialShare(below: square / 2)).squareRoot()
        let scale = length / square.squareRoot()
        return (vector.east * scale, vector.north * scale)
    }

    /// About a kilometer, so that a place some streets away, known to an attacker, reveals nothing.
    private static let gridDegrees = 0.01

    /// Interpolates a vector. Its components are normal with variance 1 at every place, not only at
    /// corners: hence the division by the root of the squared weights.
    private static func blend(
        latitude: Double, longitude: Double, salt: UInt64
    ) -> (east: Double, north: Double) {
        let row = (latitude / gridDegrees).rounded(.down)
        let north = latitude / gridDegrees - row
        var sum = (east: 0.0, north: 0.0, squares: 0.0)
        for (row, rowWeight) in [(row, 1 - north), (row + 1, north)] {
            // Each row has its own columns: otherwise cells would be narrow far from the equator.
            let along =
                longitude / gridDegrees * LocalPlane.cosine(ofDegrees: row * gridDegrees)
            let column = along.rounded(.down)
            let east = along - column
            for (column, columnWeight) in [(column, 1 - east), (column + 1, east)] {
                let corner = corner(row, column, salt: salt)
                let weight = rowWeight * columnWeight
                sum.east += weight * corner.east
                sum.north += weight * corner.north
                sum.squares += weight * weight
            }
        }
        let scale = 1 / sum.squares.squareRoot()
        return (sum.east * scale, sum.north * scale)
    }

    /// A random vector, very nearly normal and without a preferred direction: the sum of four
    /// points of the unit disc, whose coordinates have variance 1/4.
    private static func corner(
        _ row: Double, _ column: Double, salt: UInt64
    ) -> (east: Double, north: Double) {
        var generator = SaltedGenerator(state: salt)
        generator.mix(row.bitPattern)
        generator.mix(column.bitPattern)
        var sum = (east: 0.0, north: 0.0)
        var count = 0
        while count < 4 {
            let bits = generator.next()
            let east = Double(Int32(truncatingIfNeeded: bits)) * halfWordUnit
            let north = Double(Int32(truncatingIfNeeded: bits >> 32)) * halfWordUnit
            guard east * east + north * north <= 1 else { continue }
            sum.east += east
            sum.north += north
            count += 1
        }
        return sum
    }

    /// Factor from half a random word to a number between −1 and 1.
    private static let halfWordUnit = 0x1p-31

    /// 1 − e⁻ˣ for x ≥ 0, by the series of eˣ. The core has no C library.
    private static func exponentialShare(below value: Double) -> Double {
        var term = 1.0
        var sum = 1.0
        for step in 1...24 {
            term *= value / Double(step)
            sum += term
        }
        return 1 - 1 / sum
    }
}

/// SplitMix64, seeded with the salt and the corner.
private struct SaltedGenerator {
    var state: UInt64

    mutating func mix(_ value: UInt64) {
        state ^= value
        state = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
