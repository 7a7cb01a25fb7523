/// How far, and in which direction, a hidden circle lies from what it protects.
///
/// Whoever fits a circle through the points where tracks are cut finds the circle's own center. So
/// that center must be somewhere else, always in the same place (a new offset every day would
/// average out), and the circle large enough to cover what it protects wherever it was moved.
public enum PrivacyOffset {
    /// Meters. The near end keeps the fitted center far from home, the far end is what every
    /// circle is widened by, whatever its own offset: so that the radius says nothing of it.
    public static let validLength: ClosedRange<Double> = 150...300

    /// Uniform over the ring.
    public static func draw(
        using generator: inout some RandomNumberGenerator
    ) -> (eastMeters: Double, northMeters: Double) {
        while true {
            let east = Double.random(in: -300...300, using: &generator)
            let north = Double.random(in: -300...300, using: &generator)
            let length = (east * east + north * north).squareRoot()
            if validLength.contains(length) { return (east, north) }
        }
    }

    /// The offset of the circle around a start or finish: the same for every run from about there,
    /// known only to who holds the salt.
    static func around(
        latitude: Double, longitude: Double, salt: UInt64
    ) -> (eastMeters: Double, northMeters: Double) {
        // Cells of about a kilometer: larger than fixes scatter, smaller than a town.
        let row = UInt64(bitPattern: Int64((latitude * 100).rounded()))
        let column = UInt64(bitPattern: Int64((longitude * 100).rounded()))
        var seeded = SaltedGenerator(state: salt)
        seeded.mix(row)
        seeded.mix(column)
        return draw(using: &seeded)
    }
}

/// SplitMix64, seeded with the salt and the cell.
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
