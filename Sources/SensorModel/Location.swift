/// One position fix. Values lie on the grid of the binary wire, so that live processing and a
/// replay from the log use the same values.
public struct Location: Hashable, Sendable {
    /// Degrees, a multiple of 1e-7.
    public let latitude: Double
    /// Degrees, a multiple of 1e-7.
    public let longitude: Double
    /// Meters above sea level, a multiple of 0.01; `nil`: not reported.
    public let altitude: Double?
    /// Meters (about one standard deviation), a multiple of 0.1; `nil`: unknown.
    public let horizontalAccuracy: Double?
    /// Meters, a multiple of 0.1; `nil`: unknown.
    public let verticalAccuracy: Double?
    /// Meters per second, a multiple of 0.01; `nil`: unknown.
    public let speed: Double?
    /// Degrees clockwise from north, 0 ..< 360, a multiple of 0.01; `nil`: unknown.
    public let course: Double?

    public static let validAltitude: ClosedRange<Double> = -500...9000

    /// Negative accuracy, speed and course mean unknown, as phones send them.
    ///
    /// - Throws: ``SensorError`` for a coordinate or altitude out of range or not finite.
    public init(
        latitude: Double, longitude: Double, altitude: Double? = nil,
        horizontalAccuracy: Double? = nil, verticalAccuracy: Double? = nil,
        speed: Double? = nil, course: Double? = nil
    ) throws(SensorError) {
        guard (-90.0...90).contains(latitude) else {
            throw .latitudeOutOfRange(degrees: latitude)
        }
        guard (-180.0...180).contains(longitude) else {
            throw .longitudeOutOfRange(degrees: longitude)
        }
        if let altitude, !Self.validAltitude.contains(altitude) {
            throw .altitudeOutOfRange(meters: altitude)
        }
        self.latitude = (latitude * 1e7).rounded() / 1e7
        self.longitude = (longitude * 1e7).rounded() / 1e7
        self.altitude = altitude.map { ($0 * 100).rounded() / 100 }
        self.horizontalAccuracy = try Self.known(horizontalAccuracy, step: 10, below: 6553.45)
        self.verticalAccuracy = try Self.known(verticalAccuracy, step: 10, below: 6553.45)
        self.speed = try Self.known(speed, step: 100, below: 327.675)
        let course = try Self.known(course, step: 100, below: 655.345)
        self.course = course.map { $0.truncatingRemainder(dividingBy: 360) }
    }

    /// Rounds to the wire's grid; `nil` for unknown. A value too large for the wire becomes the
    /// largest: accuracies of 7 km and 10 km mean the same to a reader.
    private static func known(
        _ value: Double?, step: Double, below bound: Double
    ) throws(SensorError) -> Double? {
        guard let value else { return nil }
        guard value.isFinite else { throw .notFinite }
        guard value >= 0 else { return nil }
        return (min(value, bound - 0.5 / step) * step).rounded(.toNearestOrEven) / step
    }
}
