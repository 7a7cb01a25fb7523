import Dispatch
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

    /// - Returns: Whether it is the first that waits.
    mutating func add(_ entry: AuditEntry) -> Bool {
        if pending.count < Self.pendingMax { pending.append(entry) }
        return pending.count == 1
    }

    /// What could not be written waits again, before what came in the meantime.
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
    /// From the first entry that waits to its writing: what a crash may take.
    static let auditDelaySeconds = 1.0

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
        let isFirst = withState { $0.audit.add(entry) }
        guard isFirst else { return }
        writing.asyncAfter(deadline: .now() + Self.auditDelaySeconds) { [weak self] in
            // What fails waits for the next minute's upkeep, which says so in the journal.
            try? self?.saveAudit()
        }
    }

    /// Writes down what is pending.
    func saveAudit() throws(RegistryError) {
        let pending = withState { $0.audit.takePending() }
        do {
            try registry.addAudit(pending)
        } catch {
            withState { $0.audit.putBack(pending) }
            throw error
        }
    }

    /// Newest first, with what is not written down yet.
    func audit(of share: ShareKey) throws(RegistryError) -> [AuditEntry] {
        try saveAudit()
        return try registry.audit(of: share)
    }
}
