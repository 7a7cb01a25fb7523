/// The first record of a session: its device and the settings it is computed with.
public struct SessionHead: Hashable, Sendable {
    public var session: SessionID
    public var device: DeviceID
    /// Arrival of the session's first hello.
    public var arrivalTime: Timestamp
    /// Whether the session is sent from a recording, so that device times may be far from arrival.
    public var recorded: Bool
    public var profile: RunnerProfile
    /// Version of the computation. A replay with another version reports it, since events differ.
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
