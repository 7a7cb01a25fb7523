/// A route to follow, as its owner sent it: points in order, some of them checkpoints.
///
/// The session's log gets it as a record at the start and after each change. Degrees are whole
/// multiples of 1e-7, as on the wire, so that a recorded course equals the one sent.
public struct Course: Hashable, Sendable {
    public struct Point: Hashable, Sendable {
        /// Degrees.
        public let latitude: Double
        /// Degrees.
        public let longitude: Double

        public init(latitude: Double, longitude: Double) {
            self.latitude = Course.onGrid(latitude)
            self.longitude = Course.onGrid(longitude)
        }
    }

    public struct Checkpoint: Hashable, Sendable {
        public let name: String
        /// The checkpoint is reached at the point of the course nearest to this place.
        public let place: Point

        public init(name: String, latitude: Double, longitude: Double) {
            self.name = name
            place = Point(latitude: latitude, longitude: longitude)
        }
    }

    /// Points, at most ``pointsMax``.
    public let points: [Point]
    /// Altitude of each point, meters, in whole decimeters; empty if that of a point is unknown.
    public let altitudes: [Double]
    /// Checkpoints, at most ``checkpointsMax``.
    public let checkpoints: [Checkpoint]

    /// One point every 24 m on a course of 100 km; no decision about it needs less than 150 m. The
    /// record takes about 25 KB.
    public static let pointsMax = 4096
    public static let checkpointsMax = 256
    /// Longest name of a checkpoint, in UTF-8. A record with all checkpoints takes at most 128 KiB.
    public static let nameBytesMax = 256
    /// Altitudes from the Dead Sea to the highest mountains, meters; a course beyond has none.
    public static let altitudeRange = -500.0...9000.0
    /// Resolution of stored coordinates: grid steps a degree.
    public static let stepsPerDegree = 1e7

    /// Thins a longer route and keeps its last point; drops checkpoints beyond ``checkpointsMax``.
    ///
    /// - Parameters:
    ///   - points: Points in order.
    ///   - altitudes: Altitude of each point, meters; other counts, and values outside of
    ///     ``altitudeRange``, count as unknown altitudes.
    ///   - checkpoints: Checkpoints in any order.
    public init(points: [Point], altitudes: [Double] = [], checkpoints: [Checkpoint] = []) {
        self.points = Self.thinned(points)
        let isKnown =
            altitudes.count == points.count && altitudes.allSatisfy(Self.altitudeRange.contains)
        self.altitudes =
            isKnown ? Self.thinned(altitudes).map { ($0 * 10).rounded() / 10 } : []
        self.checkpoints = Array(checkpoints.prefix(Self.checkpointsMax))
    }

    private static func thinned<Value>(_ values: [Value]) -> [Value] {
        let step = (values.count - 1) / (pointsMax - 1) + 1
        var kept = stride(from: 0, to: values.count, by: max(1, step)).map { values[$0] }
        if step > 1, let last = values.last { kept[kept.count - 1] = last }
        return kept
    }

    private static func onGrid(_ degrees: Double) -> Double {
        (degrees * stepsPerDegree).rounded() / stepsPerDegree
    }
}
