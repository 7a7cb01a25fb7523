public import SensorModel

/// All shares, in memory: who asks with an ID learns of an active share, or nothing.
///
/// Unknown, revoked and expired take the same path, one look-up by hash, so that neither the answer
/// nor its time tells them apart.
public struct ShareDirectory: Sendable {
    public enum Standing: Hashable, Sendable {
        case active
        case expired
        case revoked
        case unknown
    }

    private var shares: [ShareKey: Share] = [:]
    private var keysByHash: [SecretHash: ShareKey] = [:]
    /// By owner: a name tells nobody which names others use.
    private struct OwnedName: Hashable, Sendable {
        /// `nil`: a group's.
        let device: DeviceID?
        /// Lower case.
        let name: String

        init(_ name: String, of device: DeviceID?) {
            self.device = device
            self.name = name.lowercased()
        }
    }

    private var keysByName: [OwnedName: ShareKey] = [:]
    /// Rising.
    private var keysByDevice: [DeviceID: [ShareKey]] = [:]

    public init(_ shares: [Share] = []) {
        for share in shares { put(share) }
    }

    public var count: Int { shares.count }

    /// In the order they were made.
    public var all: [Share] { shares.values.sorted { $0.key < $1.key } }

    public subscript(key: ShareKey) -> Share? { shares[key] }

    /// - Returns: The share of that ID if it may be watched at `time`.
    public func find(_ hash: SecretHash, at time: Timestamp) -> Share? {
        guard let key = keysByHash[hash], let share = shares[key], isShown(share, at: time) else {
            return nil
        }
        return share
    }

    /// Whether there is anybody to see: a group whose members are all revoked or expired is over.
    public func isShown(_ share: Share, at time: Timestamp) -> Bool {
        guard share.isActive(at: time) else { return false }
        return share.device != nil
            || share.members.contains { shares[$0]?.isActive(at: time) ?? false }
    }

    /// By its non-secret name, for the owner: whatever its standing.
    ///
    /// - Parameters:
    ///   - name: In any case.
    ///   - device: Whose; `nil`: of the groups.
    /// - Returns: `nil` when the owner has none of that name.
    public func named(_ name: String, of device: DeviceID?) -> Share? {
        keysByName[OwnedName(name, of: device)].flatMap { shares[$0] }
    }

    /// The shares of that name: a group's first, then those of devices in the order they were made.
    public func named(_ name: String) -> [Share] {
        let owners = [nil] + keysByDevice.keys.map(Optional.some)
        // Groups first.
        return owners.compactMap { named(name, of: $0) }.sorted {
            ($0.device == nil ? 0 : 1, $0.key) < ($1.device == nil ? 0 : 1, $1.key)
        }
    }

    public func standing(of key: ShareKey, at time: Timestamp) -> Standing {
        guard let share = shares[key] else { return .unknown }
        if let revokedAt = share.revokedAt, revokedAt <= time { return .revoked }
        return share.isActive(at: time) ? .active : .expired
    }

    /// Of one device, groups not among them, in the order they were made.
    public func shares(of device: DeviceID) -> [Share] {
        (keysByDevice[device] ?? []).compactMap { shares[$0] }
    }

    /// A share of the same device that is not revoked, and shows positions where this one does not, or
    /// does not where this one does: because of the one the owner's zones and trims hold for the other.
    public func complement(of share: Share) -> Share? {
        guard let device = share.device else { return nil }
        return shares(of: device).last {
            $0.revokedAt == nil
                && $0.scope.contains(.location) != share.scope.contains(.location)
        }
    }

    /// The members of a group that may be watched at `time`, or the share itself, in its order.
    public func feeds(of share: Share, at time: Timestamp) -> [Share] {
        guard case .group(let members) = share.target else { return [share] }
        return members.compactMap { shares[$0] }.filter { $0.isActive(at: time) }
    }

    /// The first moment after `time` at which a share expires by itself.
    public func nextExpiry(after time: Timestamp) -> Timestamp? {
        shares.values.lazy.filter { $0.revokedAt == nil }.compactMap(\.expiresAt)
            .filter { $0 > time }.min()
    }

    /// Shares that expired in the time after `earlier` and not after `now`: their viewers go.
    public func expired(after earlier: Timestamp, through now: Timestamp) -> [ShareKey] {
        shares.values.filter { share in
            guard share.revokedAt == nil, let expiresAt = share.expiresAt else { return false }
            return earlier < expiresAt && expiresAt <= now
        }.map(\.key).sorted()
    }

    /// Adds a share, or replaces what is known of it: revoked, or under a new ID.
    ///
    /// - Returns: It, and those of its device for which other rules hold now.
    @discardableResult
    public mutating func put(_ share: Share) -> [Share] {
        let (key, device) = (share.key, share.device)
        insert(share)
        shares[key]?.isBesidePositions = false
        let changed = device.map { updateRules(of: $0) } ?? []
        return [shares[key] ?? share] + changed.filter { $0.key != key }
    }

    /// For as long as a share with positions is not revoked. One that has expired holds, too: who kept
    /// what it showed could subtract from another's history.
    private mutating func updateRules(of device: DeviceID) -> [Share] {
        let own = shares(of: device)
        let showsPositions = own.contains { $0.showsPositions }
        var changed: [Share] = []
        for var share in own {
            let isBeside = showsPositions && !share.scope.contains(.location)
            guard share.isBesidePositions != isBeside else { continue }
            share.isBesidePositions = isBeside
            shares[share.key] = share
            changed.append(share)
        }
        return changed
    }

    private mutating func insert(_ share: Share) {
        drop(share.key)
        shares[share.key] = share
        keysByHash[share.idHash] = share.key
        keysByName[OwnedName(share.name, of: share.device)] = share.key
        switch share.target {
        case .device(let device):
            // Mostly it is the newest.
            let keys = keysByDevice[device] ?? []
            let index = (keys.lastIndex { $0 < share.key } ?? -1) + 1
            keysByDevice[device, default: []].insert(share.key, at: index)
        case .group: break
        }
    }

    /// - Returns: Those of its device for which other rules hold now.
    @discardableResult
    public mutating func remove(_ key: ShareKey) -> [Share] {
        let device = shares[key]?.device
        drop(key)
        return device.map { updateRules(of: $0) } ?? []
    }

    private mutating func drop(_ key: ShareKey) {
        guard let share = shares.removeValue(forKey: key) else { return }
        keysByHash[share.idHash] = nil
        keysByName[OwnedName(share.name, of: share.device)] = nil
        switch share.target {
        case .device(let device):
            keysByDevice[device]?.removeAll { $0 == key }
            if keysByDevice[device]?.isEmpty == true { keysByDevice[device] = nil }
        case .group: break
        }
    }
}

extension Share {
    fileprivate var showsPositions: Bool { scope.contains(.location) && revokedAt == nil }
}
