import Registry
import SensorModel

/// One entry of a share's audit, as shown to its owner.
struct OpenRow: Encodable {
    let at: Double
    let event: String
    /// The visitor's pseudonym: constant for one address within a day; `owner` for the owner.
    let visitor: String

    init(_ entry: AuditEntry) {
        at = entry.time.secondsSince1970
        event = entry.kind.name
        visitor = entry.addressName
    }
}

extension AuditEntry.Kind {
    fileprivate var name: String {
        switch self {
        case .opened: "opened"
        case .codeRedeemed: "codeRedeemed"
        case .revealed: "revealed"
        case .created: "created"
        case .rotated: "rotated"
        case .revoked: "revoked"
        case .cheered: "cheered"
        }
    }
}
