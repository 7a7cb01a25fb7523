import Registry
import Runtime
import SensorModel
import Synchronization

/// A share's link that was made for alerts.
struct AlertLink: Sendable {
    let device: DeviceID
    /// That of the link; another one means that the owner has made a new link meanwhile.
    let idHash: SecretHash
    let id: ShareID
}

/// Live links of alerts. They end with the last open alert of their device, after a restart too.
extension AlertTeller {
    /// The link of a share for open alerts. The first one makes it new.
    func link(of share: Share) async -> String? {
        if let link = links.withLock({ $0[share.key] }), link.idHash == share.idHash {
            return share.url(at: publicURL(), id: link.id)
        }
        return await administration.changes.run { [self] in
            try? administration.accounts.registry.putAlertLink(share.key)
            if let made = try? administration.rotateShare(share) {
                return made.share.url(at: publicURL(), id: note(made.share, made.id))
            }
            // If the disk takes no new link, the share's own one serves.
            return administration.accounts.secretID(of: share.key).map {
                share.url(at: publicURL(), id: note(share, $0))
            }
        }
    }

    @discardableResult
    private func note(_ share: Share, _ id: ShareID) -> ShareID {
        guard let device = share.device else { return id }
        links.withLock {
            $0[share.key] = AlertLink(device: device, idHash: share.idHash, id: id)
        }
        return id
    }

    /// Ends links whose alerts are over; their viewers are closed.
    ///
    /// - Parameter isOpen: Whether an alert of a device is open; with `true`, whether a call for
    ///   help is: of an owner who hides something only those have links.
    func endLinks(
        _ isOpen: @escaping @Sendable (DeviceID, _ onlyHelp: Bool) -> Bool
    ) async {
        for key in links.withLock({ Array($0.keys) }) {
            await endLink(of: key) { [self] device in
                isOpen(device, hides(administration.accounts.share(key), device))
            }
        }
    }

    /// Makes a share's link a new one that nobody knows. If the disk takes no change, the next call
    /// tries it again. It runs in the queue in which links are made, so that none is ended that was
    /// made meanwhile.
    ///
    /// - Parameters:
    ///   - key: The share.
    ///   - isOpen: Whether an alert of the device is open, for which the link stays.
    func endLink(
        of key: ShareKey, unless isOpen: @escaping @Sendable (DeviceID) -> Bool = { _ in false }
    ) async {
        await administration.changes.run { [self] in
            guard let link = links.withLock({ $0[key] }), !isOpen(link.device) else { return }
            let accounts = administration.accounts
            if let share = accounts.share(key), share.isActive(at: administration.clock()),
                share.idHash == link.idHash
            {
                guard (try? administration.rotateShare(share)) != nil else { return }
            }
            _ = links.withLock { $0.removeValue(forKey: key) }
            try? accounts.registry.removeAlertLink(key)
        }
    }

    /// Takes over the links of alerts from before a restart.
    func restoreLinks() async {
        let accounts = administration.accounts
        let kept = await administration.changes.run {
            (try? accounts.registry.alertLinks()) ?? []
        }
        for key in kept {
            guard let share = accounts.share(key), let id = accounts.secretID(of: key) else {
                continue
            }
            note(share, id)
        }
    }
}
