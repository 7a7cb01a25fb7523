public import SensorModel

/// Says of each position of a session, in order, whether a viewer may see it. For exports, where
/// the whole session is known; ``PrivacyFilter`` is the live form.
public struct PrivacyMask: Sendable {
    private let settings: PrivacySettings
    private var circles: [HiddenCircle]
    private var started = false

    /// - Parameters:
    ///   - settings: Of the device.
    ///   - finish: Where the session ended; `nil` while that is not known.
    public init(_ settings: PrivacySettings, finish: (latitude: Double, longitude: Double)? = nil) {
        self.settings = settings
        circles = settings.zones.map(HiddenCircle.init)
        guard let finish, settings.trimFinishMeters > 0 else { return }
        circles.append(
            HiddenCircle(
                trimming: settings.trimFinishMeters, aroundLatitude: finish.latitude,
                longitude: finish.longitude, salt: settings.salt))
    }

    /// - Returns: `true` if the position may be shown.
    public mutating func shows(latitude: Double, longitude: Double) -> Bool {
        if !started {
            started = true
            if settings.trimStartMeters > 0 {
                circles.append(
                    HiddenCircle(
                        trimming: settings.trimStartMeters, aroundLatitude: latitude,
                        longitude: longitude, salt: settings.salt))
            }
        }
        return !circles.contains { $0.contains(latitude: latitude, longitude: longitude) }
    }
}
