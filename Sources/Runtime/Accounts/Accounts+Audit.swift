import Dispatch
package import Registry
import Secrets
package import SensorModel
package import Sharing

/// Audit entries that are not written to the registry yet.
package struct AuditNotes {
    /// Maximum number of entries kept between two writes; a flood drops the rest.
    private static let pendingMax = 10_000

    package var recent = RecentVisits()
    package private(set) var pending: [AuditEntry] = []

    /// - Returns: Whether it is the first pending entry.
    package mutating func add(_ entry: AuditEntry) -> Bool {
        if pending.count < Self.pendingMax { pending.append(entry) }
        return pending.count == 1
    }

    /// Puts entries of a failed write back, before those that came in the meantime.
    mutating func putBack(_ entries: [AuditEntry]) {
        pending.insert(contentsOf: entries, at: 0)
        pending.removeLast(max(0, pending.count - Self.pendingMax))
    }

    mutating func takePending() -> [AuditEntry] {
        defer { pending = [] }
        return pending
    }
}

extension Accounts {
    /// Seconds from the first pending entry to the write; a crash loses that much.
    static let auditDelaySeconds = 1.0

    /// Name of the owner in the audit, which does not record the owner's addresses.
    static let ownerName = "owner"

    /// Records an opened share, once per visit.
    package func noteOpen(of share: ShareKey, from address: AddressKey, at now: Timestamp) {
        let begins = withState { $0.audit.recent.begins(share, from: address, at: now) }
        if begins { note(.opened, of: share, from: address, at: now) }
    }

    /// Records an action on a share; `address` is `nil` for an action of the owner.
    package func note(
        _ kind: AuditEntry.Kind, of share: ShareKey, from address: AddressKey?, at now: Timestamp
    ) {
        let name = address.map { masterKey.auditName(ofAddress: $0.bytes, at: now) }
        let entry = AuditEntry(
            time: now, share: share, kind: kind, addressName: name ?? Self.ownerName)
        let isFirst = withState { $0.audit.add(entry) }
        guard isFirst else { return }
        writing.asyncAfter(deadline: .now() + Self.auditDelaySeconds) { [weak self] in
            // Entries that fail to be written wait for the next minute's upkeep, which logs the
            // failure.
            try? self?.saveAudit()
        }
    }

    /// Writes pending entries to the registry.
    package func saveAudit() throws(RegistryError) {
        let pending = withState { $0.audit.takePending() }
        do {
            try registry.addAudit(pending)
        } catch {
            withState { $0.audit.putBack(pending) }
            throw error
        }
    }

    /// Entries of a share, newest first; pending ones are included unless the registry fails.
    package func audit(of share: ShareKey) throws(RegistryError) -> [AuditEntry] {
        if registry.trouble == nil { try saveAudit() }
        return try registry.audit(of: share)
    }
}
