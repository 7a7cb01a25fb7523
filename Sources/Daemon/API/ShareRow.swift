import SensorModel

/// One share, as listings show it: without its secret.
struct ShareRow: Encodable {
    let name: String
    let device: NullableField<String>
    let scope: [String]
    let expiresAt: NullableField<Double>
    let delaySeconds: Int
    let maxViewers: NullableField<Int>
    let label: NullableField<String>
    let viewers: Int
    let viewersEver: Int
    let revoked: Bool

    init(_ share: Share, device: String?, viewers: (now: Int, ever: Int)) {
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
    }
}

/// One share with its secret: for its owner, when it is made and when asked for.
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
    /// What the owner should know of it; absent: nothing.
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
