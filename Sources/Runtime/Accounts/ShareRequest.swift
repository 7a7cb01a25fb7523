package import SensorModel

/// The owner's request for a new share.
package struct ShareRequest: Sendable {
    package var name: String?
    package var scope: Scope = .all
    package var delaySeconds = 0
    package var expiresInSeconds: Double?
    package var maxViewers: Int?
    package var label: String?
    package var publicName: PublicName?

    package init(
        name: String? = nil, scope: Scope = .all, expiresInSeconds: Double? = nil,
        maxViewers: Int? = nil, label: String? = nil
    ) {
        self.name = name
        self.scope = scope
        self.expiresInSeconds = expiresInSeconds
        self.maxViewers = maxViewers
        self.label = label
    }
}
