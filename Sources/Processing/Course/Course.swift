/// A way to follow, as a GPX file gives it: points in order, some of them checkpoints.
public struct Course: Hashable, Sendable {
    public struct Point: Hashable, Sendable {
        /// Degrees.
        public var latitude: Double
        /// Degrees.
        public var longitude: Double
        /// Meters; `nil`: the file has none.
        public var altitude: Double?

        public init(latitude: Double, longitude: Double, altitude: Double? = nil) {
            self.latitude = latitude
            self.longitude = longitude
            self.altitude = altitude
        }
    }

    public struct Checkpoint: Hashable, Sendable {
        public var name: String
        public var latitude: Double
        public var longitude: Double

        public init(name: String, latitude: Double, longitude: Double) {
            self.name = name
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    public var points: [Point]
    public var checkpoints: [Checkpoint]

    public init(points: [Point], checkpoints: [Checkpoint] = []) {
        self.points = points
        self.checkpoints = checkpoints
    }
}
