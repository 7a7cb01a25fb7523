import Glibc

/// Simulates the road: position and height by distance run.
struct RouteModel: Sendable {
    /// Radius of the sphere, m; the same as for distances.
    private static let earthRadius = 6_371_000.0
    /// Radius of the curve at a corner, m.
    private static let cornerRadius = 5.0
    /// Distance from the start beyond which corners lead back, m.
    private static let homeRadius = 900.0

    private let settings: RunnerSettings
    private var generator: SeededGenerator
    private let hillPhase: Double
    private let metersPerRadianEast: Double

    private(set) var east = 0.0
    private(set) var north = 0.0
    /// Radians, clockwise from north.
    private(set) var heading: Double
    private var distance = 0.0
    private var straightLeft: Double
    private var turnLeft = 0.0
    private var turnSign = 1.0
    private(set) var climb = 0.0
    private(set) var altitude = 0.0
    private var sineHeading = 0.0
    private var cosineHeading = 1.0

    init(_ settings: RunnerSettings, _ generator: SeededGenerator) {
        self.settings = settings
        self.generator = generator
        heading = Double(Int(4 * self.generator.uniform())) * Double.pi / 2
        straightLeft = 60 + 80 * self.generator.uniform()
        hillPhase = 2 * Double.pi * self.generator.uniform()
        metersPerRadianEast = Self.earthRadius * cos(settings.latitude * Double.pi / 180)
        altitude = height(at: 0)
        turn(by: 0)
    }

    /// Degrees.
    var latitude: Double { settings.latitude + north / Self.earthRadius * 180 / Double.pi }
    /// Degrees.
    var longitude: Double { settings.longitude + east / metersPerRadianEast * 180 / Double.pi }

    mutating func advance(to total: Double) {
        let meters = total - distance
        guard meters > 0 else { return }
        distance = total
        switch settings.route {
        case .circle(let radius): turn(by: meters / radius)
        case .streets: followStreets(meters)
        }
        east += meters * sineHeading
        north += meters * cosineHeading
    }

    /// Advances the height, which changes slowly. The caller calls it once a second.
    mutating func advanceSecond() {
        let now = height(at: distance)
        climb += max(now - altitude, 0)
        altitude = now
    }

    private mutating func followStreets(_ meters: Double) {
        if turnLeft > 0 {
            let angle = min(meters / Self.cornerRadius, turnLeft)
            turnLeft -= angle
            turn(by: angle * turnSign)
            return
        }
        straightLeft -= meters
        guard straightLeft <= 0 else { return }
        straightLeft = 60 + 80 * generator.uniform()
        turnLeft = Double.pi / 2
        turnSign = cornerLeadsHome ?? (generator.happens(0.5) ? 1 : -1)
    }

    /// The direction in which a corner leads to the start; `nil` if the start is near.
    private var cornerLeadsHome: Double? {
        guard east * east + north * north > Self.homeRadius * Self.homeRadius else { return nil }
        // (cos, -sin) in east and north points to the right of the heading.
        let homeIsRight = -east * cosineHeading + north * sineHeading > 0
        return homeIsRight ? 1 : -1
    }

    private mutating func turn(by angle: Double) {
        heading += angle
        sineHeading = sin(heading)
        cosineHeading = cos(heading)
    }

    /// Returns the height over hills of two lengths, around 60 m.
    private func height(at meters: Double) -> Double {
        let long = sin(2 * Double.pi * meters / 1300 + hillPhase)
        let short = sin(2 * Double.pi * meters / 410)
        return 60 + settings.hillMeters / 2 * (0.8 * long + 0.2 * short)
    }
}
