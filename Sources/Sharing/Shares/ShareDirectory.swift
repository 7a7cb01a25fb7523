import Bytes
public import SensorModel

/// All shares, in memory. A request with an ID finds an active share, or nothing.
///
/// Unknown, revoked and expired IDs take the same path, one look-up by hash. Neither the answer nor
/// its time tells them apart.
public struct ShareDirectory: Sendable {
    public enum Standing: Hashable, Sendable {
        case active
        case expired
        case revoked
        case unknown
    }

    private var shares: [ShareKey: Share] = [:]
    private var keysByHash: [SecretHash: ShareKey] = [:]
    /// A name with its owner: a name must not reveal the names of other owners.
    private struct OwnedName: Hashable, Sendable {
        /// The device; `nil`: a group's name.
        let device: DeviceID?
        /// The name in lower case.
        let name: String

        init(_ name: String, of device: DeviceID?) {
            self.device = device
            self.name = name.lowercased()
        }
    }

    private var keysByName: [OwnedName: ShareKey] = [:]
    /// The newest share of each name.
    private var keysByPublicName: [PublicName: ShareKey] = [:]
    /// Keys of each device's shares, ascending.
    private var keysByDevice: [DeviceID: [ShareKey]] = [:]
    /// Groups of each member.
    private var groupsByMember: [ShareKey: Set<ShareKey>] = [:]
    /// Groups of each device whose owner made them.
    private var groupsByOwner: [DeviceID: Set<ShareKey>] = [:]
    /// Expiries of the shares that are not revoked, earliest first.
    private var expiries: [Expiry] = []

    private struct Expiry: Comparable, Sendable {
        let time: Timestamp
        let key: ShareKey

        init?(_ share: Share) {
            guard share.revokedAt == nil, let time = share.expiresAt else { return nil }
            (self.time, key) = (time, share.key)
        }

        static func < (left: Expiry, right: Expiry) -> Bool {
            (left.time, left.key) < (right.time, right.key)
        }
    }

    public init(_ shares: [Share] = []) {
        for share in shares { put(share) }
    }

    public var count: Int { shares.count }

    /// All shares in the order of creation.
    public var all: [Share] { shares.values.sorted { $0.key < $1.key } }

    public subscript(key: ShareKey) -> Share? { shares[key] }

    /// - Returns: The share of that ID, if it may be watched at `time`.
    public func find(_ hash: SecretHash, at time: Timestamp) -> Share? {
        guard let key = keysByHash[hash], let share = shares[key], isShown(share, at: time) else {
            return nil
        }
        return share
    }

    /// - Returns: The share with that public name, if it may be watched at `time`.
    public func find(_ name: PublicName, at time: Timestamp) -> Share? {
        guard let key = keysByPublicName[name], let share = shares[key],
            share.isActive(at: time)
        else { return nil }
        return share
    }

    /// Whether the share has a visible feed: a group whose members are all revoked or expired has
    /// none.
    ///
    /// - Parameters:
    ///   - share: A share, or a group.
    ///   - time: Arrival clock.
    ///   - changed: A member in its future form, which replaces the stored one.
    /// - Returns: Whether it may be watched.
    public func isShown(
        _ share: Share, at time: Timestamp, with changed: Share? = nil
    ) -> Bool {
        guard share.isActive(at: time) else { return false }
        return share.device != nil
            || share.members.contains { key in
                let member = key == changed?.key ? changed : shares[key]
                return member?.isActive(at: time) ?? false
            }
    }

    /// The share of a name, for the owner, in any state.
    ///
    /// - Parameters:
    ///   - name: The name in any case.
    ///   - device: The owning device; `nil`: groups.
    /// - Returns: The share; `nil` if the owner has none of that name.
    public func named(_ name: String, of device: DeviceID?) -> Share? {
        keysByName[OwnedName(name, of: device)].flatMap { shares[$0] }
    }

    /// The shares of that name: a group first, then those of devices in the order of creation.
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

    /// The shares of one device, without groups, in the order of creation.
    public func shares(of device: DeviceID) -> [Share] {
        (keysByDevice[device] ?? []).compactMap { shares[$0] }
    }

    /// Groups that a device's owner made, in any state, in the order of creation.
    public func groups(madeBy device: DeviceID) -> [Share] {
        (groupsByOwner[device] ?? []).sorted().compactMap { shares[$0] }
    }

    /// Groups that have a share as a member, in the order of creation.
    public func groups(of member: ShareKey) -> [Share] {
        (groupsByMember[member] ?? []).sorted().compactMap { shares[$0] }
    }

    /// A share of the same device that is not revoked and differs from this one in whether it shows
    /// positions. The share with positions makes the owner's zones and trims apply to the other.
    public func complement(of share: Share) -> Share? {
        guard let device = share.device else { return nil }
        return shares(of: device).last {
            $0.revokedAt == nil
                && $0.scope.contains(.location) != share.scope.contains(.location)
        }
    }

    /// The watchable members of a group at `time`, in its order, or the share itself.
    public func feeds(of share: Share, at time: Timestamp) -> [Share] {
        guard case .group(let members) = share.target else { return [share] }
        return members.compactMap { shares[$0] }.filter { $0.isActive(at: time) }
    }

    /// The first time after `time` at which a share expires.
    ///
    /// - Complexity: O(log shares).
    public func nextExpiry(after time: Timestamp) -> Timestamp? {
        let index = expiries.partitioningIndex { $0.time > time }
        return index < expiries.endIndex ? expiries[index].time : nil
    }

    /// Shares that expired after `earlier` and up to `now`, the earliest first: their viewers are
    /// disconnected.
    ///
    /// - Complexity: O(log shares + expired).
    public func expired(after earlier: Timestamp, through now: Timestamp) -> [ShareKey] {
        let first = expiries.partitioningIndex { $0.time > earlier }
        return expiries[first...].prefix { $0.time <= now }.map(\.key)
    }

    /// Adds a share, or replaces it after a revocation or a new ID.
    ///
    /// - Returns: The share, and those of its device whose rules changed.
    @discardableResult
    public mutating func put(_ share: Share) -> [Share] {
        let (key, device) = (share.key, share.device)
        insert(share)
        shares[key]?.isBesidePositions = false
        let changed = device.map { updateRules(of: $0) } ?? []
        return [shares[key] ?? share] + changed.filter { $0.key != key }
    }

    /// Updates the rules of a device. They apply while a share with positions is not revoked, even
    /// after it expired: a holder of its history could subtract it from another share's.
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
        if let expiry = Expiry(share) {
            expiries.insert(expiry, at: expiries.partitioningIndex { $0 > expiry })
        }
        keysByHash[share.idHash] = share.key
        keysByName[OwnedName(share.name, of: share.device)] = share.key
        // A public name may be reused when its share is over; the newest share has it.
        if let name = share.publicName, (keysByPublicName[name] ?? share.key) <= share.key {
            keysByPublicName[name] = share.key
        }
        switch share.target {
        case .device(let device):
            // The share is usually the newest one.
            let keys = keysByDevice[device] ?? []
            let index = (keys.lastIndex { $0 < share.key } ?? -1) + 1
            keysByDevice[device, default: []].insert(share.key, at: index)
        case .group(let members):
            for member in members { groupsByMember[member, default: []].insert(share.key) }
            if let owner = share.groupOwner {
                groupsByOwner[owner, default: []].insert(share.key)
            }
        }
    }

    /// - Returns: The shares of its device whose rules changed.
    @discardableResult
    public mutating func remove(_ key: ShareKey) -> [Share] {
        let device = shares[key]?.device
        drop(key)
        return device.map { updateRules(of: $0) } ?? []
    }

    private mutating func drop(_ key: ShareKey) {
        guard let share = shares.removeValue(forKey: key) else { return }
        if let expiry = Expiry(share) {
            expiries.remove(at: expiries.partitioningIndex { $0 >= expiry })
        }
        keysByHash[share.idHash] = nil
        keysByName[OwnedName(share.name, of: share.device)] = nil
        if let name = share.publicName, keysByPublicName[name] == key {
            keysByPublicName[name] = nil
        }
        switch share.target {
        case .device(let device):
            keysByDevice[device]?.removeAll { $0 == key }
            if keysByDevice[device]?.isEmpty == true { keysByDevice[device] = nil }
        case .group(let members):
            for member in members {
                groupsByMember[member]?.remove(key)
                if groupsByMember[member]?.isEmpty == true { groupsByMember[member] = nil }
            }
            if let owner = share.groupOwner {
                groupsByOwner[owner]?.remove(key)
                if groupsByOwner[owner]?.isEmpty == true { groupsByOwner[owner] = nil }
            }
        }
    }
}

extension Share {
    fileprivate var showsPositions: Bool { scope.contains(.location) && revokedAt == nil }
}
