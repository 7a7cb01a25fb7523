import Bytes
import Logging
package import Registry
import Secrets
package import SensorModel
import Sharing

extension Administration {
    /// - Parameters:
    ///   - request: Scope and duration of the share.
    ///   - target: A device, or the members of a group.
    ///   - stem: Base of the generated name if the request has none.
    ///   - owner: Device as it was admitted, if the request came with its token.
    /// - Returns: The share and its secret.
    /// - Throws: ``ShareError`` for a request that cannot be granted,
    ///   ``AdministrationError/changedMeanwhile(_:)``, or errors of the registry.
    package func createShare(
        _ request: ShareRequest, of target: Share.Target, stem: String, by owner: Device? = nil
    ) throws -> (share: Share, id: ShareID) {
        let made =
            if let owner {
                try accounts.changing(owner) { _ in try addShare(request, of: target, stem: stem) }
            } else {
                try accounts.changing { try addShare(request, of: target, stem: stem) }
            }
        logger.log(
            .shareChanged, .notice, "share created", ["share": "\(made.share.name)"])
        return made
    }

    /// Must run inside `Accounts.changing`.
    func addShare(
        _ request: ShareRequest, of target: Share.Target, stem: String,
        madeBy owner: DeviceID? = nil
    ) throws -> (share: Share, id: ShareID) {
        let now = clock()
        var generator = SystemRandomNumberGenerator()
        let id = ShareID(using: &generator)
        let draft = Share(
            key: ShareKey(rawValue: 0), name: request.name ?? freeName(like: stem, of: target),
            idHash: id.hash, target: target, scope: request.scope,
            delaySeconds: request.delaySeconds,
            expiresAt: request.expiresInSeconds.map { now.advanced(bySeconds: $0) },
            maxViewers: request.maxViewers,
            label: request.label.map { CleanText.clean($0, charactersMax: 64) },
            publicName: request.publicName, groupOwner: owner, createdAt: now)
        let most = accounts.sharesPerDeviceMax
        try accounts.withState { state in
            Result { try state.shares.check(draft, at: now, perDeviceMax: most) }
        }.get()
        try forgetOldShares(of: draft.device, at: now)
        let share = try accounts.registry.addShare(
            draft, sealID: { accounts.masterKey.seal(id.bytes, for: .shareID($0)) })
        let sealed = accounts.masterKey.seal(id.bytes, for: .shareID(share.key))
        let changed = accounts.withState { state in
            state.sealedIDs[share.key] = sealed
            return state.shares.put(share)
        }
        mailbox.post { $0.put(share) }
        playbacks.restart(Set(changed.map(\.key)))
        accounts.note(.created, of: share.key, from: nil, at: now)
        return (share, id)
    }

    /// Warning to the owner about a share in combination with the others; `nil`: none.
    package func warning(about share: Share) -> String? {
        if let name = share.publicName, share.scope.contains(.location), share.delaySeconds == 0 {
            return
                "Everybody who knows or guesses \(name.marked) sees where this runner is at this"
                + " moment: a delay or a scope without location shows less"
        }
        guard let device = share.device, !accounts.privacy(of: device).hidesNothing,
            let other = accounts.withState({ $0.shares.complement(of: share) })
        else { return nil }
        let (placed, numbers) =
            share.scope.contains(.location) ? (share, other) : (other, share)
        return
            "\(placed.name) shows positions, so \(numbers.name) leaves out what your zones and"
            + " trims hide, too: who holds both links could subtract. Revoke \(placed.name) if"
            + " \(numbers.name) is to tell of the whole run"
    }

    /// - Parameter text: A name, `DEVICE:NAME`, or the secret ID.
    /// - Returns: The only matching share.
    /// - Throws: ``RegistryError/unknownShare(_:)``, ``ShareError/nameAmbiguous(_:of:)``
    package func share(namedOrID text: String) throws -> Share {
        let found = accounts.shares(namedOrID: text)
        guard let share = found.first else { throw RegistryError.unknownShare(text) }
        // A group takes precedence over devices' shares of the same name: a group has no `DEVICE:`
        // prefix.
        guard found.count > 1, share.device != nil else { return share }
        let owners = found.compactMap(\.device).map { accounts.name(of: $0) }
        throw ShareError.nameAmbiguous(text, of: owners)
    }

    /// - Throws: ``ShareError/isOver(name:)``; errors of the registry.
    package func rotateShare(_ share: Share) throws -> (share: Share, id: ShareID) {
        var generator = SystemRandomNumberGenerator()
        let id = ShareID(using: &generator)
        let sealed = accounts.masterKey.seal(id.bytes, for: .shareID(share.key))
        return try accounts.changing {
            var rotated = try current(share)
            guard rotated.isActive(at: clock()) else { throw ShareError.isOver(name: share.name) }
            try accounts.registry.rotateShare(share.key, idHash: id.hash, sealedID: sealed)
            rotated.idHash = id.hash
            accounts.withState { [rotated] state in
                state.shares.put(rotated)
                state.sealedIDs[share.key] = sealed
                state.codes.withdraw(share.key)
            }
            mailbox.post { [rotated] in $0.put(rotated) }
            accounts.note(.rotated, of: share.key, from: nil, at: clock())
            return (rotated, id)
        }
    }

    /// The share as it is now.
    func current(_ share: Share) throws(RegistryError) -> Share {
        guard let current = accounts.share(share.key) else {
            throw .unknownShare(share.name)
        }
        return current
    }

    private func freeName(like stem: String, of target: Share.Target) -> String {
        let device: DeviceID? = if case .device(let device) = target { device } else { nil }
        let directory = accounts.withState { $0.shares }
        guard directory.named(stem, of: device) != nil else { return stem }
        var number = 2
        while directory.named("\(stem)-\(number)", of: device) != nil { number += 1 }
        return "\(stem)-\(number)"
    }
}
