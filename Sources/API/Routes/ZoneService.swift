import Registry
import Runtime
package import SensorModel
import Sharing

/// Privacy settings of an owner as JSON: circles, and the hidden lengths of each run's start and
/// finish.
package struct ZonesBody: StrictBody, Encodable, Hashable {
    package static var fields: [String] { CodingKeys.allCases.map(\.rawValue) }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case zones, trimStartMeters, trimFinishMeters, showHeartRate
    }

    package struct Zone: Codable, Hashable {
        package var name: String
        package var latitude: Double
        package var longitude: Double
        var radiusMeters: Double

        package var zone: PrivacyZone {
            PrivacyZone(
                name: name, latitude: latitude, longitude: longitude,
                radiusMeters: radiusMeters)
        }
    }

    /// Circles; absent in a request: unchanged.
    package var zones: [Zone]?
    var trimStartMeters: Double?
    var trimFinishMeters: Double?
    /// Whether the heart rate is shown where the position is hidden.
    var showHeartRate: Bool?

    package init(_ settings: PrivacySettings) {
        zones = settings.zones.map { zone in
            Zone(
                name: zone.name, latitude: zone.latitude, longitude: zone.longitude,
                radiusMeters: zone.radiusMeters)
        }
        trimStartMeters = settings.trimStartMeters
        trimFinishMeters = settings.trimFinishMeters
        showHeartRate = settings.showsHeartRate
    }

    /// - Throws: ``APIRefusal/badField(name:allowed:)``
    package func check() throws(APIRefusal) {
        for zone in zones ?? [] { try Self.check(zone) }
        let names = Set((zones ?? []).map { $0.name.lowercased() })
        guard names.count == zones?.count ?? 0 else {
            throw .badField(name: "name", allowed: "a name of its own for each zone")
        }
        guard zones?.count ?? 0 <= PrivacySettings.zonesMax else {
            throw .badField(name: "zones", allowed: "at most \(PrivacySettings.zonesMax)")
        }
        let trims = 0...PrivacySettings.trimMetersMax
        for (name, trim) in [
            ("trimStartMeters", trimStartMeters), ("trimFinishMeters", trimFinishMeters),
        ] {
            guard trims.contains(trim ?? 0) else {
                throw .badField(name: name, allowed: "0 to \(Int(trims.upperBound))")
            }
        }
    }

    private static func check(_ zone: Zone) throws(APIRefusal) {
        guard ShareDirectory.isName(zone.name) else {
            throw .badField(
                name: "name", allowed: "1 to 64 letters, digits, spaces, - _ or .")
        }
        guard (-90...90).contains(zone.latitude) else {
            throw .badField(name: "latitude", allowed: "-90 to 90")
        }
        guard (-180...180).contains(zone.longitude) else {
            throw .badField(name: "longitude", allowed: "-180 to 180")
        }
        let radius = PrivacyZone.validRadius
        guard radius.contains(zone.radiusMeters) else {
            throw .badField(
                name: "radiusMeters",
                allowed: "\(Int(radius.lowerBound)) to \(Int(radius.upperBound))")
        }
    }
}

/// Changes a device's privacy zones and trims.
struct ZoneService: Sendable {
    let administration: Administration

    /// Replaces the device's zones by those of `body`, and its trims if the body has them.
    ///
    /// - Parameters:
    ///   - body: Body as sent.
    ///   - device: Device whose settings change.
    /// - Returns: The settings in force.
    /// - Throws: ``APIRefusal`` for values out of range, ``RegistryError``.
    func replace(by body: ZonesBody, of device: Device) throws -> PrivacySettings {
        try administration.changePrivacy(of: device) { try Self.settings($0, changedBy: body) }
    }

    /// Adds one zone, or replaces the zone of the same name.
    func put(_ zone: ZonesBody.Zone, of device: Device) throws -> PrivacySettings {
        try administration.changePrivacy(of: device) { before in
            var body = ZonesBody(before)
            body.zones?.removeAll { $0.name.lowercased() == zone.name.lowercased() }
            body.zones?.append(zone)
            return try Self.settings(before, changedBy: body)
        }
    }

    func remove(zoneNamed name: String, of device: Device) throws -> PrivacySettings {
        try administration.changePrivacy(of: device) { before in
            var body = ZonesBody(before)
            body.zones?.removeAll { $0.name.lowercased() == name.lowercased() }
            guard body.zones?.count != before.zones.count else {
                throw RegistryError.unknownZone(name)
            }
            return try Self.settings(before, changedBy: body)
        }
    }

    private static func settings(
        _ before: PrivacySettings, changedBy body: ZonesBody
    ) throws(APIRefusal) -> PrivacySettings {
        try body.check()
        var after = before
        if let zones = body.zones { after.zones = zones.map(\.zone) }
        after.trimStartMeters = body.trimStartMeters ?? before.trimStartMeters
        after.trimFinishMeters = body.trimFinishMeters ?? before.trimFinishMeters
        after.showsHeartRate = body.showHeartRate ?? before.showsHeartRate
        return after
    }
}
