import Bytes
import Logging
package import Registry
package import Secrets
package import SensorModel
import Sharing

/// Groups that owners of devices make, and that others join by themselves.
extension Administration {
    /// Groups of one device that are not over.
    static let groupsOfDeviceMax = 8
    /// Groups of one device that are over, kept for their audit.
    static let oldGroupsMax = 8
    /// Base of the names of members' shares.
    private static let memberStem = "group"

    /// Makes a group whose first member is a new share of its owner's device.
    ///
    /// - Parameters:
    ///   - request: Name, end and scope of the owner's own share; the group has its label.
    ///   - label: Label of the owner's share: the runner's name in the group.
    ///   - owner: Device as it was admitted.
    /// - Returns: The group and its secret.
    /// - Throws: ``ShareError``, ``AdministrationError/changedMeanwhile(_:)``, ``RegistryError``
    package func createGroup(
        _ request: ShareRequest, runner label: String, by owner: Device
    ) throws -> (share: Share, id: ShareID) {
        let made = try accounts.changing(owner) { owner in
            let now = clock()
            let known = accounts.withState { $0.shares.groups(madeBy: owner.id) }
            guard known.count(where: { isOpen($0, at: now) }) < Self.groupsOfDeviceMax else {
                throw ShareError.tooManyGroups(max: Self.groupsOfDeviceMax)
            }
            for old in known.filter({ !isOpen($0, at: now) }).dropLast(Self.oldGroupsMax) {
                try forget(old)
            }
            var own = request
            own.label = label
            let member = try addShare(
                own, of: .device(owner.id), stem: Self.memberStem
            ).share
            var group = request
            group.scope = .all
            do {
                return try addShare(
                    group, of: .group([member.key]), stem: Self.newGroupName(),
                    madeBy: owner.id)
            } catch {
                _ = try? revoke(member, telling: .shareEnded)
                throw error
            }
        }
        logger.log(.shareChanged, .notice, "group created", ["share": "\(made.share.name)"])
        return made
    }

    /// A name that tells nobody how many groups others have.
    private static func newGroupName() -> String {
        var generator = SystemRandomNumberGenerator()
        return "group-" + Hexadecimal.text(of: (0..<4).map { _ in generator.next() as UInt8 })
    }

    /// Whether a group is not over.
    private func isOpen(_ group: Share, at now: Timestamp) -> Bool {
        accounts.withState { $0.shares.isShown(group, at: now) }
    }

    /// Adds a new share of a device to a group.
    ///
    /// - Parameters:
    ///   - invitation: Which group, and of which of its links.
    ///   - request: Scope and label of the new share; it ends with the group.
    ///   - device: Device as it was admitted.
    /// - Returns: The group.
    /// - Throws: ``ShareError``, ``AdministrationError/changedMeanwhile(_:)``, ``RegistryError``
    package func join(
        _ invitation: GroupInvitation, _ request: ShareRequest, by device: Device
    ) throws -> Share {
        try accounts.changing(device) { device in
            let now = clock()
            guard invitation.expiresAt > now, var group = accounts.share(invitation.group),
                isOpen(group, at: now), invitationHash(of: group) == invitation.hash
            else { throw ShareError.invitationOver }
            let members = accounts.withState { $0.shares.feeds(of: group, at: now) }
            guard !members.contains(where: { $0.device == device.id }) else {
                throw ShareError.isMember
            }
            guard members.count < Limits.groupSharesMax else {
                throw ShareError.groupSize(members.count + 1)
            }
            let name = request.label ?? device.name
            guard !members.contains(where: { Self.isAlike($0.runnerName, name) }) else {
                throw ShareError.runnerTaken(name)
            }
            if let wait = accounts.withState({ $0.joins.admit(device.id, at: now) }) {
                throw AdministrationError.tooManyChanges(retryAfterSeconds: wait)
            }
            var wish = request
            wish.expiresInSeconds = group.expiresAt.map { $0.seconds(since: now) }
            let member = try addShare(
                wish, of: .device(device.id), stem: Self.memberStem
            ).share
            group.target = .group(members.map(\.key) + [member.key])
            do throws(RegistryError) {
                try accounts.registry.setMembers(group.members, of: group.key)
            } catch {
                _ = try? revoke(member, telling: .shareEnded)
                throw error
            }
            accounts.withState { [group] in _ = $0.shares.put(group) }
            mailbox.post { [group] in $0.put(group) }
            return group
        }
    }

    /// Whether viewers could take one runner's name for another's.
    private static func isAlike(_ one: String, _ other: String) -> Bool {
        func folded(_ name: String) -> String {
            CleanText.clean(name).lowercased().filter { !$0.isWhitespace }
        }
        return folded(one) == folded(other)
    }

    /// What an invitation is bound to: the group's link and its maker's token. `nil`: nobody is
    /// invited to it.
    package func invitationHash(of group: Share) -> SecretHash? {
        guard let maker = group.groupOwner.flatMap({ accounts.device($0) }), !maker.isRevoked
        else { return nil }
        let code = MessageCode.signature(of: group.idHash.bytes, key: maker.tokenHash.bytes)
        return Hexadecimal.bytes(of: code.utf8).flatMap { SecretHash(bytes: $0) }
    }

    /// Groups that a device's owner made or is in, and that are not over, in the order of creation.
    package func groups(of device: DeviceID) -> [Share] {
        let now = clock()
        return accounts.withState { state in
            var groups = state.shares.groups(madeBy: device)
            for share in state.shares.shares(of: device) where share.isActive(at: now) {
                groups += state.shares.groups(of: share.key).filter { $0.groupOwner != nil }
            }
            let shown = groups.filter { state.shares.isShown($0, at: now) }
            return Dictionary(shown.map { ($0.key, $0) }) { first, _ in first }.values
                .sorted { $0.key < $1.key }
        }
    }

    /// The members of a group that are not over.
    package func members(of group: Share) -> [Share] {
        let now = clock()
        return accounts.withState { $0.shares.feeds(of: group, at: now) }
    }

    /// Ends a group of the device's owner, or leaves another's.
    ///
    /// - Throws: ``RegistryError``, ``AdministrationError``
    package func leave(_ group: Share, by device: Device) throws {
        let isMaker = group.groupOwner == device.id
        // Members' shares were made for the group, so they end with it.
        let members = members(of: group).filter { isMaker || $0.device == device.id }
        var failure: (any Error)?
        for share in (isMaker ? [group] : []) + members {
            // One that the disk does not note is refused all the same, and the others must be, too.
            do { try revokeShare(share) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
