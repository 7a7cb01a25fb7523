/// How far, and in which direction, a hidden circle lies from what it protects.
///
/// Whoever fits a circle through the points where tracks are cut finds the circle's own center. So
/// that center is somewhere else, always in the same place (a new offset every day, or each time
/// the owner moves a zone by some meters, would average out), and the circle is large enough to
/// cover what it protects wherever it was moved.
public enum PrivacyOffset {
    /// Meters. An attacker who knows this ring and the circle's own center looks for the home on it:
    /// the far end makes the ring so large that a guess finds one home in twenty. By that far end
    /// every circle is widened, whatever its own offset: so the radius says nothing of it. The near
    /// end keeps the average of the cuts away from the home.
    public static let validLength: ClosedRange<Double> = 220...700

    /// The offset of the circle around a place: known only to who holds the device's salt.
    ///
    /// At every place it is uniform over the ring, as far as anyone without the salt knows. It is
    /// the same for every run from there, and nearly the same some meters on: random vectors of the
    /// corners of a grid are blended between them. With an offset a cell, a home on a cell's edge
    /// would have two circles, and lie in the middle of them.
    package static func around(
        latitude: Double, longitude: Double, salt: UInt64
    ) -> (eastMeters: Double, northMeters: Double) {
        let vector = blend(latitude: latitude, longitude: longitude, salt: salt)
        let square = vector.east * vector.east + vector.north * vector.north
        guard square > 1e-18 else { return (validLength.lowerBound, 0) }
        let inner = validLength.lowerBound * validLength.lowerBound
        let outer = validLength.upperBound * validLength.upperBound
        // Of a normal vector half the square has the exponential distribution.
        let length = (inner + (outer - inner) * exponentialShare(below: square / 2)).squareRoot()
        let scale = length / square.squareRoot()
        return (vector.east * scale, vector.north * scale)
    }

    /// About a kilometer: a place some streets on, which an attacker may know, tells nothing.
    private static let gridDegrees = 0.01

    /// A vector whose components are normal with variance 1 at every place, not at corners alone:
    /// hence the division by the root of the squared weights.
    private static func blend(
        latitude: Double, longitude: Double, salt: UInt64
    ) -> (east: Double, north: Double) {
        let row = (latitude / gridDegrees).rounded(.down)
        let north = latitude / gridDegrees - row
        var sum = (east: 0.0, north: 0.0, squares: 0.0)
        for (row, rowWeight) in [(row, 1 - north), (row + 1, north)] {
            // Each row has columns of its own, or cells would be narrow far from the equator.
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

    /// Very nearly normal, and of no direction more than of another: the sum of four points of the
    /// unit circle's disc, whose coordinates have variance 1/4.
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

    /// Makes half a random word a number between −1 and 1.
    private static let halfWordUnit = 0x1p-31

    /// 1 − e⁻ˣ for x ≥ 0, by the series of eˣ. The core has no C library to ask.
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
