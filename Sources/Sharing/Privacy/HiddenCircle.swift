import SensorModel

/// A circle that no shown position may lie in.
struct HiddenCircle: Hashable, Sendable {
    private let center: LocalPlane
    private let squaredRadius: Double

    init(_ zone: PrivacyZone) {
        center = LocalPlane(latitude: zone.latitude, longitude: zone.longitude).moved(
            eastMeters: zone.offsetEastMeters, northMeters: zone.offsetNorthMeters)
        let radius = zone.radiusMeters + PrivacyOffset.validLength.upperBound
        squaredRadius = radius * radius
    }

    /// Around where a run starts or ends: moved by the device's salt instead of a stored offset.
    init(trimming meters: Double, aroundLatitude latitude: Double, longitude: Double, salt: UInt64)
    {
        let offset = PrivacyOffset.around(latitude: latitude, longitude: longitude, salt: salt)
        center = LocalPlane(latitude: latitude, longitude: longitude).moved(
            eastMeters: offset.eastMeters, northMeters: offset.northMeters)
        let radius = meters + PrivacyOffset.validLength.upperBound
        squaredRadius = radius * radius
    }

    func contains(latitude: Double, longitude: Double) -> Bool {
        center.squaredMeters(toLatitude: latitude, longitude: longitude) < squaredRadius
    }
}
