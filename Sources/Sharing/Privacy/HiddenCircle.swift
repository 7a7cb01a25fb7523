/// A circle without any shown position.
package struct HiddenCircle: Hashable, Sendable {
    private let center: LocalPlane
    private let squaredRadius: Double

    /// Hides all positions within `meters` of a place: a zone's center, a start or a finish.
    /// Circles at one place have the same offset, since two circles with different offsets would
    /// intersect near it.
    package init(meters: Double, aroundLatitude latitude: Double, longitude: Double, salt: UInt64) {
        let offset = PrivacyOffset.around(latitude: latitude, longitude: longitude, salt: salt)
        center = LocalPlane(latitude: latitude, longitude: longitude).moved(
            eastMeters: offset.eastMeters, northMeters: offset.northMeters)
        let radius = meters + PrivacyOffset.validLength.upperBound
        squaredRadius = radius * radius
    }

    package func contains(latitude: Double, longitude: Double) -> Bool {
        center.squaredMeters(toLatitude: latitude, longitude: longitude) < squaredRadius
    }
}
