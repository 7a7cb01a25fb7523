import GRDB
public import SensorModel

/// All registry data that the daemon keeps in memory, read at one moment, at start.
public struct RegistrySnapshot: Sendable {
    public var devices: [Device]
    public var shares: [Share]
    public var viewersEver: [ShareKey: Int]
    public var usedProofs: [UsedProof]
    public var codes: [SealedCode]
    public var courses: [DeviceID: StoredCourse]
}

extension RegistryStore {
    /// Reads in one transaction, so the result contains no partial change.
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
