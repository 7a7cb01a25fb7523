public import SensorModel

/// Totals of a session from its newest metrics, computed once from the log and stored for lists and
/// for the training load.
///
/// The log is authoritative. A result is valid only for the epoch and the last record it was
/// computed from, and can be recomputed at any time.
public struct SessionResult: Hashable, Sendable {
    public var session: SessionID
    public var device: DeviceID
    /// Epoch of the log it was computed from.
    public var epoch: UInt32
    /// The session's last record at that time.
    public var lastOffset: RecordOffset
    /// `nil`: the session has no metrics.
    public var totals: Totals?

    public struct Totals: Hashable, Sendable {
        public var state: ValueState
        public var distanceMeters: Double?
        public var movingSeconds: Double
        public var elapsedSeconds: Double
        public var steps: Int?
        /// Beats per minute, like the maximum.
        public var averageHeartRate: Double?
        public var maxHeartRate: Double?
        public var elevationGainMeters: Double?
        /// Training stress by heart rate; `nil` without enough heart-rate data.
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
    ///   - session: A session in the log.
    ///   - device: The session's device.
    ///   - epoch: Epoch of the log.
    ///   - lastOffset: The session's last record.
    ///   - metrics: The newest metrics; `nil`: none.
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
