/// The first record of a session: whose it is and what it is computed with.
public struct SessionHead: Hashable, Sendable {
    public var session: SessionID
    public var device: DeviceID
    /// When the daemon first heard of it.
    public var arrivalTime: Timestamp
    /// Sent from a recording: device times may lie far from arrival.
    public var recorded: Bool
    public var profile: RunnerProfile
    /// A replay with another version computes other events, and says so.
    public var algorithmVersion: UInt16

    public init(
        session: SessionID, device: DeviceID, arrivalTime: Timestamp, recorded: Bool,
        profile: RunnerProfile, algorithmVersion: UInt16
    ) {
        self.session = session
        self.device = device
        self.arrivalTime = arrivalTime
        self.recorded = recorded
        self.profile = profile
        self.algorithmVersion = algorithmVersion
    }
}
