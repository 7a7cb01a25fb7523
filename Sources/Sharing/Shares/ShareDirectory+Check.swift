import Bytes
public import SensorModel

extension ShareDirectory {
    /// Checks whether `share` may be added, or replace the one with its key.
    ///
    /// - Parameters:
    ///   - share: The new share.
    ///   - now: Time of the arrival clock.
    ///   - perDeviceMax: Maximum number of active shares of one device.
    /// - Throws: ``ShareError`` with the first rule it breaks.
    public func check(
        _ share: Share, at now: Timestamp, perDeviceMax: Int = .max
    ) throws(ShareError) {
        guard Self.isName(share.name) else { throw .nameInvalid(share.name) }
        if let other = named(share.name, of: share.device), other.key != share.key {
            throw .nameTaken(share.name)
        }
        if let name = share.publicName { try check(name, of: share, at: now) }
        guard (0...Share.delaySecondsMax).contains(share.delaySeconds) else {
            throw .delayOutOfRange(seconds: share.delaySeconds)
        }
        if let maxViewers = share.maxViewers, !(1...1_000_000).contains(maxViewers) {
            throw .maxViewersOutOfRange(maxViewers)
        }
        if let expiresAt = share.expiresAt, expiresAt <= now { throw .alreadyExpired }
        guard !share.scope.isEmpty else { throw .scopeEmpty }
        if let device = share.device {
            let others = shares(of: device).count { $0.key != share.key && $0.isActive(at: now) }
            guard others < perDeviceMax else { throw .tooManyOfDevice(max: perDeviceMax) }
        }
        if case .group(let members) = share.target {
            // Others join a group that a device's owner made.
            let sizes = (share.groupOwner == nil ? 2 : 1)...Limits.groupSharesMax
            guard sizes.contains(members.count) else { throw .groupSize(members.count) }
            try check(members: members, at: now)
        }
    }

    private func check(
        _ name: PublicName, of share: Share, at now: Timestamp
    ) throws(ShareError) {
        guard let device = share.device else { throw .publicNameOfGroup }
        let own = shares(of: device).first {
            $0.key != share.key && $0.publicName != nil && $0.isActive(at: now)
        }
        if let other = own?.publicName { throw .publicNameSecond(other) }
        if let other = find(name, at: now), other.key != share.key { throw .publicNameTaken(name) }
    }

    private func check(members: [ShareKey], at now: Timestamp) throws(ShareError) {
        guard Set(members).count == members.count else { throw .groupSize(members.count) }
        var delays: Set<Int> = []
        for key in members {
            guard let member = self[key] else { throw .groupMemberUnknown(key) }
            guard member.device != nil, member.isActive(at: now) else {
                throw .groupMemberUnfit(name: member.name)
            }
            delays.insert(member.delaySeconds)
        }
        guard delays.count == 1 else { throw .groupDelaysDiffer }
    }

    /// Whether a name has only letters, digits and characters that need no quoting in a path, a log
    /// line or a page, and no invisible characters.
    public static func isName(_ name: String) -> Bool {
        guard (1...64).contains(name.count), name.utf8.count <= 256 else { return false }
        guard name.first != " ", name.last != " ", name.first != "-" else { return false }
        guard CleanText.clean(name) == name, !name.unicodeScalars.contains(where: \.isVariation)
        else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || " -_.".contains($0) }
    }
}

extension Unicode.Scalar {
    /// Whether it only selects the form of the character before it.
    fileprivate var isVariation: Bool { properties.isVariationSelector }
}
