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
    /// The share's public name, with its mark.
    package let `public`: NullableField<String>
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
        `public` = NullableField(share.publicName?.marked)
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
    /// As in ``ShareRow``; if present, `url` leads to it.
    let `public`: NullableField<String>
    /// Warning to the owner; absent: none.
    let warning: String?

    /// - Parameters:
    ///   - share: The share.
    ///   - id: Its secret.
    ///   - address: The daemon's address for viewers.
    ///   - device: Name of its device; `nil`: a group.
    ///   - warning: Warning to the owner.
    init(_ share: Share, id: ShareID, at address: String, device: String?, warning: String? = nil) {
        name = share.name
        self.id = id.text
        url = share.url(at: address, id: id)
        self.device = NullableField(device)
        scope = share.scope.partNames
        expiresAt = NullableField(share.expiresAt?.secondsSince1970)
        delaySeconds = share.delaySeconds
        maxViewers = NullableField(share.maxViewers)
        label = NullableField(share.label)
        `public` = NullableField(share.publicName?.marked)
        self.warning = warning
    }
}

extension Share {
    /// The address of its page.
    ///
    /// - Parameters:
    ///   - address: The daemon's address for viewers.
    ///   - id: The share's secret; unused if the share has a public name.
    /// - Returns: An absolute address, if the daemon's is one.
    func url(at address: String, id: ShareID) -> String {
        "\(address)/\(publicName?.marked ?? "s/" + id.text)"
    }
}
