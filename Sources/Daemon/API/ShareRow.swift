import SensorModel

/// One share, as listings show it: without its secret.
struct ShareRow: Encodable {
    let name: String
    let device: String?
    let scope: [String]
    let expiresAt: Double?
    let delaySeconds: Int
    let maxViewers: Int?
    let label: String?
    let viewers: Int
    let viewersEver: Int
    let revoked: Bool

    init(_ share: Share, device: String?, viewers: Int, viewersEver: Int) {
        name = share.name
        self.device = device
        scope = share.scope.partNames
        expiresAt = share.expiresAt?.secondsSince1970
        delaySeconds = share.delaySeconds
        maxViewers = share.maxViewers
        label = share.label
        self.viewers = viewers
        self.viewersEver = viewersEver
        revoked = share.revokedAt != nil
    }
}

/// One share with its secret: for its owner, when it is made and when asked for.
struct ShareLink: Encodable {
    let name: String
    let id: String
    let url: String
    let device: String?
    let scope: [String]
    let expiresAt: Double?
    let delaySeconds: Int
    let maxViewers: Int?
    let label: String?

    init(_ share: Share, id: ShareID, url: String, device: String?) {
        name = share.name
        self.id = id.text
        self.url = url
        self.device = device
        scope = share.scope.partNames
        expiresAt = share.expiresAt?.secondsSince1970
        delaySeconds = share.delaySeconds
        maxViewers = share.maxViewers
        label = share.label
    }
}
