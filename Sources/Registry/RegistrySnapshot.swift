import GRDB
public import SensorModel

/// Everything the daemon keeps in memory, as it was at one moment: loaded once, at start.
public struct RegistrySnapshot: Sendable {
    public var devices: [Device]
    public var shares: [Share]
    public var viewersEver: [ShareKey: Int]
    public var usedProofs: [UsedProof]
    public var codes: [SealedCode]
    public var courses: [DeviceID: StoredCourse]
}

extension RegistryStore {
    /// One transaction: no half of a change is in it.
    public func snapshot() throws(RegistryError) -> RegistrySnapshot {
        try read { database in
            RegistrySnapshot(
                devices: try Self.allDevices(in: database),
                shares: try Self.allShares(in: database),
                viewersEver: try Self.viewersEver(in: database),
                usedProofs: try Self.allProofs(in: database),
                codes: try Self.allCodes(in: database),
                courses: try Self.allCourses(in: database))
        }
    }
}
