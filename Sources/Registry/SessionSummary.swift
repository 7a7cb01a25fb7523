public import SensorModel

/// What a listing says of one recorded session. The log is the truth; this can be made from it
/// again.
public struct SessionSummary: Hashable, Sendable {
    public var id: SessionID
    public var device: DeviceID
    /// Arrival time.
    public var startedAt: Timestamp
    /// `nil`: live.
    public var endedAt: Timestamp?
    public var firstDeviceTime: Timestamp?
    public var lastDeviceTime: Timestamp?
    public var state: ValueState
    /// Sent from a recording.
    public var recorded: Bool
    /// Accepted.
    public var frames: Int
    public var distanceMeters: Double?
    public var movingSeconds: Double?
    public var elapsedSeconds: Double?
    public var steps: Int?
    public var averageHeartRate: Double?
    public var maxHeartRate: Double?
    public var elevationGainMeters: Double?

    public init(
        id: SessionID, device: DeviceID, startedAt: Timestamp, recorded: Bool = false
    ) {
        self.id = id
        self.device = device
        self.startedAt = startedAt
        self.recorded = recorded
        state = .waiting
        frames = 0
    }
}
