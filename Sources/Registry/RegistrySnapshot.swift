import GRDB
public import SensorModel
import Synchronization

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
    ///
    /// It includes revocations that are not in the file yet.
    public func snapshot() throws(RegistryError) -> RegistrySnapshot {
        var snapshot = try stored()
        for revocation in state.withLock({ $0.unstored }) { snapshot.apply(revocation) }
        return snapshot
    }

    private func stored() throws(RegistryError) -> RegistrySnapshot {
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

extension RegistrySnapshot {
    fileprivate mutating func apply(_ revocation: Revocation) {
        switch revocation.target {
        case .share(let key):
            guard
                let place = shares.firstIndex(where: {
                    $0.key == key && $0.idHash == revocation.hash
                })
            else { return }
            shares[place].revokedAt = shares[place].revokedAt ?? revocation.time
            codes.removeAll { $0.share == key }
        case .device(let id):
            guard
                let place = devices.firstIndex(where: {
                    $0.id == id && $0.tokenHash == revocation.hash
                })
            else { return }
            devices[place].revokedAt = devices[place].revokedAt ?? revocation.time
        }
    }
}
