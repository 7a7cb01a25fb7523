/// A circle of the owner's, for example around home, whose inside no viewer sees.
public struct PrivacyZone: Hashable, Sendable {
    /// Meters the owner may ask for.
    public static let validRadius: ClosedRange<Double> = 50...5000

    public var name: String
    /// Degrees: what the owner entered. Never sent to a viewer.
    public var latitude: Double
    public var longitude: Double
    public var radiusMeters: Double

    public init(name: String, latitude: Double, longitude: Double, radiusMeters: Double) {
        self.name = name
        self.latitude = latitude
        self.longitude = longitude
        self.radiusMeters = radiusMeters
    }
}

/// What a device's owner hides from who watches a share that shows positions.
public struct PrivacySettings: Hashable, Sendable {
    /// More than anyone has homes.
    public static let zonesMax = 32
    public static let trimMetersMax: Double = 2000

    public var zones: [PrivacyZone]
    /// Around where the session starts, 0…``trimMetersMax``; 0: nothing is trimmed.
    public var trimStartMeters: Double
    /// Before where it ends.
    public var trimFinishMeters: Double
    /// Random, of the device, secret: seeds the offsets of the hidden circles.
    public var salt: UInt64
    /// Whether the heart rate is shown where the position is hidden.
    public var showsHeartRate: Bool
    /// How late everything is shown where the finish is trimmed; `nil`: as late as that trim asks for.
    /// Simulations are in a hurry.
    package var finishSecondsLate: Double?

    public static let none = PrivacySettings(
        zones: [], trimStartMeters: 0, trimFinishMeters: 0, salt: 0)

    public init(
        zones: [PrivacyZone], trimStartMeters: Double, trimFinishMeters: Double, salt: UInt64,
        showsHeartRate: Bool = false
    ) {
        self.zones = zones
        self.trimStartMeters = trimStartMeters
        self.trimFinishMeters = trimFinishMeters
        self.salt = salt
        self.showsHeartRate = showsHeartRate
    }

    public var hidesNothing: Bool {
        zones.isEmpty && trimStartMeters <= 0 && trimFinishMeters <= 0
    }
}
