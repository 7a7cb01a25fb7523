import Registry
import Secrets
import SensorModel
import Sharing

/// What happened at a share's door, until it is written down.
struct AuditNotes {
    /// Kept in memory between two writings; more are not told apart from a flood.
    private static let pendingMax = 10_000

    var recent = RecentOpens()
    private(set) var pending: [AuditEntry] = []

    mutating func add(_ entry: AuditEntry) {
        if pending.count < Self.pendingMax { pending.append(entry) }
    }

    mutating func takePending() -> [AuditEntry] {
        defer { pending = [] }
        return pending
    }
}

extension Accounts {
    /// What stands for the owner in the audit, whose addresses are nobody's business.
    static let ownerName = "owner"

    /// Notes a look at a share, once a visit.
    func noteOpen(of share: ShareKey, from address: AddressKey, at now: Timestamp) {
        let begins = withState { $0.audit.recent.begins(share, from: address, at: now) }
        if begins { note(.opened, of: share, from: address, at: now) }
    }

    /// Notes what was done with a share; without an address it was its owner's doing.
    func note(
        _ kind: AuditEntry.Kind, of share: ShareKey, from address: AddressKey?, at now: Timestamp
    ) {
        let name = address.map { masterKey.auditName(ofAddress: $0.bytes, at: now) }
        let entry = AuditEntry(
            time: now, share: share, kind: kind, addressName: name ?? Self.ownerName)
        withState { $0.audit.add(entry) }
    }

    /// Writes down what is pending.
    func saveAudit() throws(RegistryError) {
        let pending = withState { $0.audit.takePending() }
        try registry.addAudit(pending)
    }

    /// Newest first, with what is not written down yet.
    func audit(of share: ShareKey) throws(RegistryError) -> [AuditEntry] {
        try saveAudit()
        return try registry.audit(of: share)
    }
}
