public import SensorModel

/// The recorded values of one run: its metrics, one a second.
///
/// Beyond ``Runner/denseMeters`` from home they are 5 s apart, because nothing is hidden there.
public struct RecordedRun: Sendable {
    public struct Sample: Sendable {
        /// Seconds since 1970, on the watch's clock.
        public var time: Double
        /// The runner's place by GPS; `nil` before the first fix.
        public var spot: Spot?
        public var distanceMeters: Double
        public var elapsedSeconds: Double
        public var movingSeconds: Double
        public var elevationGainMeters: Double
        public var speed: Double
        /// Number of earlier records of all runners.
        public var record: Int

        /// Offset in the daemon's log of a live session.
        public var offset: RecordOffset { RecordOffset(rawValue: UInt64(time * 1_000_000)) }
    }

    public var samples: [Sample]
    /// Time at which the watch ended the run.
    public var endedAt: Double

    public static func metrics(_ sample: Sample) -> Metrics {
        var metrics = Metrics()
        metrics.state = .live
        metrics.distanceMeters = sample.distanceMeters
        metrics.elapsedSeconds = sample.elapsedSeconds
        metrics.movingSeconds = sample.movingSeconds
        metrics.pausedSeconds = sample.elapsedSeconds - sample.movingSeconds
        metrics.elevationGainMeters = sample.elevationGainMeters
        metrics.speedMetersPerSecond = sample.speed
        metrics.position = sample.spot.map {
            PositionMetric(
                latitude: TownFrame.latitude(of: $0), longitude: TownFrame.longitude(of: $0),
                altitudeMeters: nil, horizontalAccuracyMeters: nil, courseDegrees: nil,
                state: .live)
        }
        return metrics
    }

    /// Converts a sample into the log's form, which publishers with the product's code need.
    public static func event(_ sample: Sample) -> StreamEvent {
        StreamEvent(
            deviceTime: Timestamp(microseconds: Int64(sample.time * 1_000_000)),
            kind: .metrics(metrics(sample)))
    }
}
