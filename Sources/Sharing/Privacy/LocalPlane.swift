/// A plane around a point that measures meters east and north, accurate to a centimeter over the
/// few kilometers of a zone.
package struct LocalPlane: Hashable, Sendable {
    /// Degrees.
    let latitude: Double
    let longitude: Double
    private let metersPerDegreeEast: Double

    static let metersPerDegreeNorth = 6_371_000 * Double.pi / 180

    init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
        metersPerDegreeEast = Self.metersPerDegreeNorth * Self.cosine(ofDegrees: latitude)
    }

    func squaredMeters(toLatitude latitude: Double, longitude: Double) -> Double {
        let (east, north) = meters(toLatitude: latitude, longitude: longitude)
        return north * north + east * east
    }

    func meters(toLatitude latitude: Double, longitude: Double) -> (east: Double, north: Double) {
        var turn = longitude - self.longitude
        if turn > 180 { turn -= 360 }
        if turn < -180 { turn += 360 }
        return (turn * metersPerDegreeEast, (latitude - self.latitude) * Self.metersPerDegreeNorth)
    }

    /// The plane around the point at this distance.
    func moved(eastMeters: Double, northMeters: Double) -> LocalPlane {
        // Near a pole, a meter east would be a full turn; the bound affects no home.
        let eastDegrees = eastMeters / max(metersPerDegreeEast, 1)
        return LocalPlane(
            latitude: latitude + northMeters / Self.metersPerDegreeNorth,
            longitude: longitude + eastDegrees)
    }

    /// The cosine by its power series up to x¹⁸, accurate to 1e-12 at the pole. The core has no C
    /// library.
    package static func cosine(ofDegrees degrees: Double) -> Double {
        let square = (degrees * Double.pi / 180) * (degrees * Double.pi / 180)
        var term = 1.0
        var sum = 1.0
        for step in stride(from: 2.0, through: 18, by: 2) {
            term *= -square / ((step - 1) * step)
            sum += term
        }
        return sum
    }
}
