public import SensorModel

/// What a session amounted to, as its newest metrics say: computed once from the log and kept for
/// lists and for the training load.
///
/// The log is the truth. A result holds only for the epoch and the last record that it was computed
/// with, and can be computed again at any time.
public struct SessionResult: Hashable, Sendable {
    public var session: SessionID
    public var device: DeviceID
    /// Of the log that it was computed from.
    public var epoch: UInt32
    /// The session's last record then.
    public var lastOffset: RecordOffset
    /// `nil`: the session has no metrics.
    public var totals: Totals?

    public struct Totals: Hashable, Sendable {
        public var state: ValueState
        public var distanceMeters: Double?
        public var movingSeconds: Double
        public var elapsedSeconds: Double
        public var steps: Int?
        /// Beats per minute, as the maximum.
        public var averageHeartRate: Double?
        public var maxHeartRate: Double?
        public var elevationGainMeters: Double?
        /// By heart rate; `nil` without enough of it.
        public var hrTSS: Double?
        public var effortKm: Double?

        public init(_ metrics: Metrics) {
            state = metrics.state
            distanceMeters = metrics.distanceMeters
            movingSeconds = metrics.movingSeconds
            elapsedSeconds = metrics.elapsedSeconds
            steps = metrics.steps
            averageHeartRate = metrics.averageHeartRate
            maxHeartRate = metrics.maxHeartRate
            elevationGainMeters = metrics.elevationGainMeters
            hrTSS = metrics.trainingLoad?.hrTSS
            effortKm = metrics.effortKm
        }

        init(
            state: ValueState, distanceMeters: Double?, movingSeconds: Double,
            elapsedSeconds: Double, steps: Int?, averageHeartRate: Double?,
            maxHeartRate: Double?, elevationGainMeters: Double?, hrTSS: Double?,
            effortKm: Double?
        ) {
            self.state = state
            self.distanceMeters = distanceMeters
            self.movingSeconds = movingSeconds
            self.elapsedSeconds = elapsedSeconds
            self.steps = steps
            self.averageHeartRate = averageHeartRate
            self.maxHeartRate = maxHeartRate
            self.elevationGainMeters = elevationGainMeters
            self.hrTSS = hrTSS
            self.effortKm = effortKm
        }
    }

    /// - Parameters:
    ///   - session: In the log.
    ///   - device: Whose.
    ///   - epoch: Of the log.
    ///   - lastOffset: Of the session's last record.
    ///   - metrics: The newest; `nil`: none.
    public init(
        session: SessionID, device: DeviceID, epoch: UInt32, lastOffset: RecordOffset,
        metrics: Metrics?
    ) {
        self.session = session
        self.device = device
        self.epoch = epoch
        self.lastOffset = lastOffset
        totals = metrics.map(Totals.init)
    }
}
