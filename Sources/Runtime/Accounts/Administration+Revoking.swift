import Logging
import Registry
package import SensorModel
import Sessions
import Sharing

/// The end of shares.
extension Administration {
    /// Revokes a share; it is refused from now on, even if an error of the disk is thrown.
    ///
    /// - Throws: ``AdministrationError/revokedInMemory(_:)``, ``RegistryError``
    package func revokeShare(_ share: Share) throws {
        try accounts.changing { try revoke(try current(share), telling: .shareEnded) }.require()
    }

    /// Must run inside `Accounts.changing`.
    ///
    /// - Parameters:
    ///   - share: The share as it is now.
    ///   - code: Close code for its viewers.
    /// - Returns: Where the revocation is kept.
    /// - Throws: ``RegistryError``
    func revoke(_ share: Share, telling code: CloseCode) throws -> Revocation.Kept {
        let now = clock()
        let kept = try accounts.registry.revoke(Revocation(of: share, at: now))
        var revoked = share
        revoked.revokedAt = share.revokedAt ?? now
        let changed = accounts.withState { [revoked] state in
            state.codes.withdraw(share.key)
            return state.shares.put(revoked)
        }
        mailbox.post { [revoked] in $0.put(revoked, ending: code) }
        if let device = share.device { reader.overviews.forget(of: device) }
        // Playbacks on other shares are read again, because their projection rule may have changed.
        playbacks.restart(Set(changed.map(\.key)).subtracting([share.key]))
        accounts.note(.revoked, of: share.key, from: nil, at: now)
        logger.log(
            .shareChanged, .notice, "share revoked", ["share": "\(share.name)"])
        return kept
    }

    /// Deletes ended shares except the newest ones, which are kept for their audit. The newest
    /// unrevoked share that showed positions also stays: because of it, the other shares hide what
    /// the owner hides.
    func forgetOldShares(of device: DeviceID?, at now: Timestamp) throws(RegistryError) {
        guard let device else { return }
        let all = accounts.withState { $0.shares.shares(of: device) }
        let placed = all.last { $0.revokedAt == nil && $0.scope.contains(.location) }
        let over = all.filter { !$0.isActive(at: now) }
        for share in over.dropLast(Self.oldSharesMax) where share.key != placed?.key {
            try forget(share)
        }
    }

    /// Deletes a share that is over. Must run inside `Accounts.changing`.
    func forget(_ share: Share) throws(RegistryError) {
        do throws(RegistryError) { try accounts.registry.deleteShare(share.key) } catch {
            // Another request of the device deleted it meanwhile.
            guard case .unknownShare = error else { throw error }
        }
        accounts.withState { state in
            state.shares.remove(share.key)
            state.sealedIDs[share.key] = nil
        }
        mailbox.post { $0.hub.remove(share.key) }
    }

    private static let oldSharesMax = 200
}

extension Revocation.Kept {
    /// - Throws: ``AdministrationError/revokedInMemory(_:)``,
    ///   ``AdministrationError/revokedOnThisNode``
    func require() throws(AdministrationError) {
        if case .inMemory(let trouble) = self { throw .revokedInMemory(trouble) }
        if case .onThisNode = self { throw .revokedOnThisNode }
    }
}
