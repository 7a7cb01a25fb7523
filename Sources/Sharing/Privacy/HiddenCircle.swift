/// A circle that no shown position may lie in.
package struct HiddenCircle: Hashable, Sendable {
    private let center: LocalPlane
    private let squaredRadius: Double

    /// Hides what lies within so many meters of a place: a zone's center, a start or a finish. All
    /// of them have one offset at one place, or two circles around one home would cross beside it.
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
