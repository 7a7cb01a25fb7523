/// A way to follow, as its owner sent it: points in order, some of them checkpoints. Written into
/// a session as a record when the session starts and when it changes.
///
/// Degrees are whole multiples of 1e-7, as on the wire, so that a recorded course is the same one.
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
        /// The point nearest to it on the course is where it is reached.
        public let place: Point

        public init(name: String, latitude: Double, longitude: Double) {
            self.name = name
            place = Point(latitude: latitude, longitude: longitude)
        }
    }

    /// At most ``pointsMax``.
    public let points: [Point]
    /// At most ``checkpointsMax``.
    public let checkpoints: [Checkpoint]

    /// Every 24 m of a hundred kilometers, where nothing is judged finer than 150 m; a record of
    /// it takes some 25 KB.
    public static let pointsMax = 4096
    public static let checkpointsMax = 256
    /// Of the grid, a degree.
    public static let stepsPerDegree = 1e7

    /// A longer way is thinned, its last point kept; checkpoints beyond the bound are left out.
    public init(points: [Point], checkpoints: [Checkpoint] = []) {
        let step = (points.count - 1) / (Self.pointsMax - 1) + 1
        var kept = stride(from: 0, to: points.count, by: max(1, step)).map { points[$0] }
        if step > 1, let last = points.last { kept[kept.count - 1] = last }
        self.points = kept
        self.checkpoints = Array(checkpoints.prefix(Self.checkpointsMax))
    }

    private static func onGrid(_ degrees: Double) -> Double {
        (degrees * stepsPerDegree).rounded() / stepsPerDegree
    }
}
