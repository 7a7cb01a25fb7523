import FaultyDisk
import SensorModel
import Sharing

/// A runner's path in meters around a home: out and back, loops, stops at home. All share the home,
/// so that the zones of the settings lie on the paths.
struct Track {
    private enum Leg: CaseIterable { case stop, straight, home, left, right }

    private static let home = (latitude: 48.1, longitude: 11.5)
    private static let metersPerDegree = (north: 111_194.9, east: 74_258.0)

    private(set) var east = 0.0
    private(set) var north = 0.0
    /// A unit vector.
    private var heading = (east: 1.0, north: 0.0)
    private var leg = Leg.straight
    private var legSeconds = 0.0
    /// Remaining seconds without a position from the receiver.
    private var lostSeconds = 0.0

    /// Starts a session, mostly at the door, otherwise where the last one ended.
    mutating func begin(_ random: inout SplitMix) {
        guard random.happens(percent: 70) else { return }
        east = Double(random.below(60) - 30)
        north = Double(random.below(60) - 30)
        legSeconds = 0
    }

    mutating func advance(_ seconds: Double, _ random: inout SplitMix) -> Location? {
        legSeconds -= seconds
        if legSeconds <= 0 { turn(&random) }
        let speed = leg == .stop ? 0 : 13.0
        switch leg {
        case .left: rotate(sine: min(0.5, 0.15 * seconds))
        case .right: rotate(sine: -min(0.5, 0.15 * seconds))
        default: break
        }
        east += heading.east * speed * seconds
        north += heading.north * speed * seconds
        lostSeconds -= seconds
        guard lostSeconds <= 0 else { return nil }
        return try? Location(
            latitude: Self.home.latitude + north / Self.metersPerDegree.north,
            longitude: Self.home.longitude + east / Self.metersPerDegree.east,
            altitude: 500, horizontalAccuracy: 4, verticalAccuracy: 6, speed: speed, course: 0)
    }

    private mutating func turn(_ random: inout SplitMix) {
        if random.happens(percent: 3) { lostSeconds = Double(30 + random.below(120)) }
        leg = Leg.allCases[random.below(Leg.allCases.count)]
        legSeconds = Double(2 + random.below(leg == .stop ? 5 : 25))
        if leg == .home {
            head(east: -east, north: -north)
        } else if leg == .straight, random.happens(percent: 70) {
            head(east: Double(random.below(200) - 100), north: Double(random.below(200) - 100))
        }
    }

    private mutating func head(east: Double, north: Double) {
        let length = (east * east + north * north).squareRoot()
        guard length > 1 else { return }
        heading = (east / length, north / length)
    }

    private mutating func rotate(sine: Double) {
        let cosine = (1 - sine * sine).squareRoot()
        heading = (
            heading.east * cosine - heading.north * sine,
            heading.east * sine + heading.north * cosine
        )
    }

    // MARK: Privacy settings

    /// Returns settings with zones at home and on the way, small enough to be left within a seed.
    static func settings(_ random: inout SplitMix) -> PrivacySettings {
        var settings = PrivacySettings.none
        settings.salt = random.next()
        settings.finishSecondsLate = FinishReference.secondsLate
        guard random.happens(percent: 80) else { return settings }
        settings.showsHeartRate = random.happens(percent: 50)
        for number in 0..<random.below(3) {
            let reach = number == 0 ? 40 : 400
            settings.zones.append(zone(within: reach, salt: settings.salt, &random))
        }
        if random.happens(percent: 30) { settings.trimStartMeters = Double(1 + random.below(40)) }
        if random.happens(percent: 30) { settings.trimFinishMeters = Double(1 + random.below(40)) }
        return settings
    }

    /// Returns a zone whose hidden circle of 30 to 200 m lies near the track: radius and center
    /// cancel the widening and the offset.
    private static func zone(
        within reach: Int, salt: UInt64, _ random: inout SplitMix
    ) -> PrivacyZone {
        let north = Double(random.below(2 * reach) - reach)
        let east = Double(random.below(2 * reach) - reach)
        let place = (
            latitude: home.latitude + north / metersPerDegree.north,
            longitude: home.longitude + east / metersPerDegree.east
        )
        let offset = PrivacyOffset.around(
            latitude: place.latitude, longitude: place.longitude, salt: salt)
        return PrivacyZone(
            name: "zone", latitude: place.latitude - offset.northMeters / metersPerDegree.north,
            longitude: place.longitude - offset.eastMeters / metersPerDegree.east,
            radiusMeters: Double(30 + random.below(170)) - PrivacyOffset.validLength.upperBound)
    }
}
