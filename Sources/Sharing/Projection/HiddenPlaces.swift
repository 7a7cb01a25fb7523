import SensorModel

/// Decides for each position of a session, in order, whether it is in a zone or in the trimmed
/// start.
struct HiddenPlaces: Sendable {
    private let settings: PrivacySettings
    private var circles: [HiddenCircle]
    private var hasFix = false
    /// The session's beginning is unknown: where it started, and whether it has fixes at all.
    private var isStartLost = false
    /// Whether the newest position is hidden.
    private(set) var isHidden = true

    /// Longest time without a fix that hides the session, longer than a receiver needs to find
    /// satellites. Until a fix the runner may be anywhere. But on a treadmill no fix ever comes.
    static let secondsWithoutFixMax = 300.0

    init(_ settings: PrivacySettings) {
        self.settings = settings
        circles = settings.zones.map { zone in
            HiddenCircle(
                meters: zone.radiusMeters, aroundLatitude: zone.latitude,
                longitude: zone.longitude, salt: settings.salt)
        }
    }

    mutating func loseStart() { isStartLost = true }

    /// The next position is the start of another session.
    mutating func beginAnew() { hasFix = false }

    /// Hides until the next position: where the runner went meanwhile is unknown.
    ///
    /// - Returns: Whether there is anything to hide.
    mutating func losePlace() -> Bool {
        if !circles.isEmpty { isHidden = true }
        return !circles.isEmpty
    }

    mutating func update(_ metrics: Metrics) {
        if let position = metrics.position {
            // Any place may be the trimmed start.
            isHidden =
                isStartLost && settings.trimStartMeters > 0
                || hides(latitude: position.latitude, longitude: position.longitude)
        } else if !hasFix, !isStartLost, metrics.elapsedSeconds > Self.secondsWithoutFixMax {
            isHidden = false
        }
    }

    private mutating func hides(latitude: Double, longitude: Double) -> Bool {
        if !hasFix {
            hasFix = true
            if settings.trimStartMeters > 0 {
                circles.append(
                    HiddenCircle(
                        meters: settings.trimStartMeters, aroundLatitude: latitude,
                        longitude: longitude, salt: settings.salt))
            }
        }
        return circles.contains { $0.contains(latitude: latitude, longitude: longitude) }
    }
}
