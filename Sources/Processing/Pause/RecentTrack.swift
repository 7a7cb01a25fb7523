import SensorModel

/// The last forty seconds of a track, thinned, in 16 bytes a point.
///
/// It gives the speed over the last seconds, and the place and time at which a runner left it.
/// Points are meters east and north of an origin, which only ``clear()`` resets.
struct RecentTrack: Sendable {
    struct Parameters: Sendable {
        /// Window of ``metersPerSecond``, seconds: long against a fix's scatter, short against a
        /// stop.
        var windowSeconds = 4.0
        /// Minimum seconds between two kept points. A rhythm of 1 s with jitter is kept complete.
        var spacingSeconds = 0.75
        var pointsMax = 40
    }

    private struct Point: Sendable {
        var eastCentimeters: Int32
        var northCentimeters: Int32
        var time: Timestamp
    }

    private static let parameters = Parameters()
    private var origin: (latitude: Double, longitude: Double)?
    private var points: [Point] = []
    /// The two newest fixes, kept or not; the older one is `nil` at the start and after a hole.
    private var newest: Point?
    private var previous: Point?

    mutating func clear() {
        origin = nil
        breakOff()
    }

    /// Begins a new track after a hole; places keep their coordinates.
    mutating func breakOff() {
        points.removeAll(keepingCapacity: true)
        newest = nil
        previous = nil
    }

    /// - Returns: Meters east and north of the origin.
    @discardableResult
    mutating func add(_ location: Location, at time: Timestamp) -> SIMD2<Double> {
        let place = (location.latitude, location.longitude)
        let origin = origin ?? place
        self.origin = origin
        let offset = Geodesy.offset(of: place, from: origin)
        let point = Point(
            eastCentimeters: Self.centimeters(offset.x),
            northCentimeters: Self.centimeters(offset.y), time: time)
        previous = newest
        newest = point
        if let last = points.last, time.seconds(since: last.time) < Self.parameters.spacingSeconds {
            return offset
        }
        if points.count == Self.parameters.pointsMax { points.removeFirst() }
        if points.isEmpty { points.reserveCapacity(Self.parameters.pointsMax) }
        points.append(point)
        return offset
    }

    private static func centimeters(_ meters: Double) -> Int32 {
        Int32(min(max(meters * 100, -2_000_000_000), 2_000_000_000))
    }

    /// The fix before the newest, meters east and north; `nil` without one.
    var previousPoint: SIMD2<Double>? { previous.map(Self.vector) }

    /// The newest fix, meters east and north, and its time.
    var newestFix: (point: SIMD2<Double>, time: Timestamp)? {
        newest.map { (Self.vector($0), $0.time) }
    }

    /// The newest kept fix within `radius` meters of `place`; `nil` if there is none.
    func last(
        within radius: Double, of place: SIMD2<Double>
    ) -> (point: SIMD2<Double>, time: Timestamp)? {
        points.last { Self.meters(from: place, to: $0) <= radius }
            .map { (Self.vector($0), $0.time) }
    }

    private static func meters(from place: SIMD2<Double>, to point: Point) -> Double {
        let offset = vector(point) - place
        return (offset * offset).sum().squareRoot()
    }

    private static func vector(_ point: Point) -> SIMD2<Double> {
        SIMD2(Double(point.eastCentimeters), Double(point.northCentimeters)) / 100
    }

    // MARK: Speed

    /// Speed between the first and the last point of the window, so that scatter does not add up;
    /// `nil` without two points.
    var metersPerSecond: Double? { speed(overSeconds: Self.parameters.windowSeconds) }

    /// - Parameter seconds: Length of the window, at most forty.
    /// - Returns: Speed from the newest point that is this old, otherwise from the oldest.
    func speed(overSeconds seconds: Double) -> Double? {
        guard let newest else { return nil }
        let first = points.last { newest.time.seconds(since: $0.time) >= seconds - 0.5 }
        return speed(from: first ?? points.first)
    }

    /// Speed between the last two fixes.
    var newestMetersPerSecond: Double? { speed(from: previous) }

    private func speed(from first: Point?) -> Double? {
        guard let first, let newest, newest.time > first.time else { return nil }
        return Self.meters(from: Self.vector(first), to: newest)
            / newest.time.seconds(since: first.time)
    }

    /// Times of the last two fixes.
    var newestInterval: (start: Timestamp, end: Timestamp)? {
        guard let previous, let newest else { return nil }
        return (previous.time, newest.time)
    }
}
