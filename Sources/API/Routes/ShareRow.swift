package import SensorModel

/// One share in a listing, without its secret.
package struct ShareRow: Encodable {
    package let name: String
    package let device: NullableField<String>
    package let scope: [String]
    package let expiresAt: NullableField<Double>
    package let delaySeconds: Int
    package let maxViewers: NullableField<Int>
    package let label: NullableField<String>
    package let viewers: Int
    package let viewersEver: Int
    package let revoked: Bool
    /// `active`, `expired` or `revoked`.
    package let state: String

    package init(
        _ share: Share, device: String?, viewers: (now: Int, ever: Int), at time: Timestamp
    ) {
        name = share.name
        self.device = NullableField(device)
        scope = share.scope.partNames
        expiresAt = NullableField(share.expiresAt?.secondsSince1970)
        delaySeconds = share.delaySeconds
        maxViewers = NullableField(share.maxViewers)
        label = NullableField(share.label)
        self.viewers = viewers.now
        viewersEver = viewers.ever
        revoked = share.revokedAt != nil
        let isExpired = share.expiresAt.map { $0 <= time } ?? false
        state = revoked ? "revoked" : isExpired ? "expired" : "active"
    }
}

/// One share with its secret, for its owner: at creation and on request.
struct ShareLink: Encodable {
    let name: String
    let id: String
    let url: String
    let device: NullableField<String>
    let scope: [String]
    let expiresAt: NullableField<Double>
    let delaySeconds: Int
    let maxViewers: NullableField<Int>
    let label: NullableField<String>
    /// Warning to the owner; absent: none.
    let warning: String?

    init(_ share: Share, id: ShareID, url: String, device: String?, warning: String? = nil) {
        name = share.name
        self.id = id.text
        self.url = url
        self.device = NullableField(device)
        scope = share.scope.partNames
        expiresAt = NullableField(share.expiresAt?.secondsSince1970)
        delaySeconds = share.delaySeconds
        maxViewers = NullableField(share.maxViewers)
        label = NullableField(share.label)
        self.warning = warning
    }
}
