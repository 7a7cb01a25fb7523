import Glibc
import SensorModel

/// Simulates a position receiver in a street: its error drifts, and at times it has no fix.
struct PositionSensor: Sendable {
    /// Mean duration of a gap without a fix, s.
    private static let gapSeconds = 8.0
    /// Speed below which a watch reports 0, m/s.
    private static let watchSpeedMin = 0.8
    /// Step of a watch's height, m, and the deviations of its barometer's noise and slow drift.
    private static let watchHeightStep = 0.2
    private static let watchHeightNoise = 0.1
    private static let watchHeightDrift = 0.02

    private let settings: RunnerSettings
    private var generator: SeededGenerator
    private var eastError = 0.0
    private var northError = 0.0
    private var altitudeError = 0.0
    private var inGap = false
    private var heightDrift = 0.0
    private var nextFix = 0.0
    private var lastFix: (east: Double, north: Double)?

    init(_ settings: RunnerSettings, _ generator: SeededGenerator) {
        self.settings = settings
        self.generator = generator
        eastError = settings.positionError * self.generator.gaussian()
        northError = settings.positionError * self.generator.gaussian()
    }

    /// Takes a fix. The caller calls it once a second.
    ///
    /// - Returns: The fix; `nil` without one, or when the distance filter drops it.
    mutating func fix(_ route: RouteModel, speed: Double, at seconds: Double) -> Location? {
        wander()
        let inTunnel = settings.tunnels.contains {
            seconds >= $0.startSeconds && seconds < $0.startSeconds + $0.seconds
        }
        guard !inGap, !inTunnel else { return nil }
        let east = route.east + eastError + 0.2 * generator.gaussian()
        let north = route.north + northError + 0.2 * generator.gaussian()
        if let last = lastFix, settings.distanceFilterMeters > 0 {
            let moved = hypot(east - last.east, north - last.north)
            guard moved >= settings.distanceFilterMeters else { return nil }
        }
        if settings.receiver == .watch, seconds < nextFix { return nil }
        lastFix = (east, north)
        let degreesPerMeter = 180 / Double.pi / 6_371_000
        let latitude = settings.latitude + north * degreesPerMeter
        let squeeze = cos(settings.latitude * Double.pi / 180)
        let longitude = settings.longitude + east * degreesPerMeter / squeeze
        if settings.receiver == .watch {
            return watchFix(latitude, longitude, height: route.altitude, speed, at: seconds)
        }
        let course = (route.heading * 180 / Double.pi + 4 * generator.gaussian())
            .truncatingRemainder(dividingBy: 360)
        // Coordinates near the start are always valid.
        return try? Location(
            latitude: latitude,
            longitude: longitude,
            altitude: route.altitude + altitudeError,
            horizontalAccuracy: max(settings.positionError * 1.4 + 0.4 * generator.gaussian(), 1),
            verticalAccuracy: max(settings.positionError * 2 + 0.5 * generator.gaussian(), 1.5),
            speed: max(speed + 0.12 * generator.gaussian(), 0),
            course: course < 0 ? course + 360 : course)
    }

    private mutating func watchFix(
        _ latitude: Double, _ longitude: Double, height: Double, _ speed: Double,
        at seconds: Double
    ) -> Location? {
        nextFix = seconds + 1 + (3.999 * generator.uniform()).rounded(.down)
        heightDrift += Self.watchHeightDrift * generator.gaussian()
        let measured = height + heightDrift + Self.watchHeightNoise * generator.gaussian()
        let shown = speed + 0.12 * generator.gaussian()
        return try? Location(
            latitude: latitude, longitude: longitude,
            altitude: (measured / Self.watchHeightStep).rounded() * Self.watchHeightStep,
            speed: shown < Self.watchSpeedMin ? 0 : shown)
    }

    private mutating func wander() {
        let keep = settings.positionErrorCorrelation
        let fresh = settings.positionError * (1 - keep * keep).squareRoot()
        eastError = keep * eastError + fresh * generator.gaussian()
        northError = keep * northError + fresh * generator.gaussian()
        altitudeError = keep * altitudeError + 1.5 * fresh * generator.gaussian()
        let share = settings.positionGapShare
        guard share > 0, share < 1 else { return }
        // Rates at which gaps end and begin; their ratio gives the share.
        let leave = 1 / Self.gapSeconds
        let enter = leave * share / (1 - share)
        inGap = inGap ? !generator.happens(leave) : generator.happens(enter)
    }
}
