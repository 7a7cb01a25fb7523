/// A circle whose inside viewers never see, for example around the owner's home.
public struct PrivacyZone: Hashable, Sendable {
    /// Radii that the owner may choose, meters.
    public static let validRadius: ClosedRange<Double> = 50...5000

    public var name: String
    /// Degrees, as the owner entered them. Never sent to a viewer.
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

/// Privacy settings of a device's owner, for the shares that show positions.
public struct PrivacySettings: Hashable, Sendable {
    /// Far more zones than an owner needs.
    public static let zonesMax = 32
    public static let trimMetersMax: Double = 2000

    public var zones: [PrivacyZone]
    /// Hidden distance around the start, 0…``trimMetersMax``; 0: no trim.
    public var trimStartMeters: Double
    /// Hidden distance around the finish, 0…``trimMetersMax``; 0: no trim.
    public var trimFinishMeters: Double
    /// Random secret of the device: seeds the offsets of the hidden circles.
    public var salt: UInt64
    /// Whether the heart rate is shown while the position is hidden.
    public var showsHeartRate: Bool
    /// Delay of everything shown when the finish is trimmed; `nil`: the delay that the trim needs.
    /// Simulations set a shorter one.
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
