/// How far, and in which direction, a hidden circle lies from what it protects.
///
/// Whoever fits a circle through the points where tracks are cut finds the circle's own center. So
/// that center must be somewhere else, always in the same place (a new offset every day would
/// average out), and the circle large enough to cover what it protects wherever it was moved.
public enum PrivacyOffset {
    /// Meters. Who averages the cut points of runs from the door, in all directions, is off by half
    /// an offset: the near end keeps that over 100 m. The far end is what every circle is widened
    /// by, whatever its own offset: so that the radius says nothing of it.
    public static let validLength: ClosedRange<Double> = 220...360

    /// Uniform over the ring.
    public static func draw(
        using generator: inout some RandomNumberGenerator
    ) -> (eastMeters: Double, northMeters: Double) {
        while true {
            let reach = validLength.upperBound
            let east = Double.random(in: -reach...reach, using: &generator)
            let north = Double.random(in: -reach...reach, using: &generator)
            let length = (east * east + north * north).squareRoot()
            if validLength.contains(length) { return (east, north) }
        }
    }

    /// The offset of the circle around a start or finish: known only to who holds the salt.
    ///
    /// It is the same for every run from there, and nearly the same a few meters on: drawn for the
    /// corners of a grid and blended between them. With an offset a cell, a home on a cell's edge
    /// would have two circles, and lie in the middle of them.
    static func around(
        latitude: Double, longitude: Double, salt: UInt64
    ) -> (eastMeters: Double, northMeters: Double) {
        let row = (latitude / gridDegrees).rounded(.down)
        let column = (longitude / gridDegrees).rounded(.down)
        let north = latitude / gridDegrees - row
        let east = longitude / gridDegrees - column
        var sum = (east: 0.0, north: 0.0, length: 0.0)
        for (rowStep, rowWeight) in [(0.0, 1 - north), (1, north)] {
            for (columnStep, columnWeight) in [(0.0, 1 - east), (1, east)] {
                let corner = self.corner(row + rowStep, column + columnStep, salt: salt)
                let weight = rowWeight * columnWeight
                sum.east += weight * corner.eastMeters / corner.length
                sum.north += weight * corner.northMeters / corner.length
                sum.length += weight * corner.length
            }
        }
        let direction = (sum.east * sum.east + sum.north * sum.north).squareRoot()
        guard direction > 1e-9 else { return (sum.length, 0) }
        return (sum.length * sum.east / direction, sum.length * sum.north / direction)
    }

    /// About a kilometer.
    private static let gridDegrees = 0.01

    private static func corner(
        _ row: Double, _ column: Double, salt: UInt64
    ) -> (eastMeters: Double, northMeters: Double, length: Double) {
        var generator = SaltedGenerator(state: salt)
        generator.mix(row.bitPattern)
        generator.mix(column.bitPattern)
        let (east, north) = draw(using: &generator)
        return (east, north, (east * east + north * north).squareRoot())
    }
}

/// SplitMix64, seeded with the salt and the corner.
private struct SaltedGenerator: RandomNumberGenerator {
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
