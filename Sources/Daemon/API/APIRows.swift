import Registry
import SensorModel
import Sharing

/// One device, as listings show it.
struct DeviceRow: Encodable {
    let device: String
    let createdAt: Double
    let revoked: Bool
    let lastSeen: Double?
    let sessions: Int

    init(_ device: Device, lastSeen: Timestamp?, sessions: Int) {
        self.device = device.name
        createdAt = device.createdAt.secondsSince1970
        revoked = device.isRevoked
        self.lastSeen = lastSeen?.secondsSince1970
        self.sessions = sessions
    }
}

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

/// A share to be made, as commands and owners write it.
struct ShareBody: Decodable {
    let device: String?
    let shares: [String]?
    let name: String?
    let expires: String?
    let scope: String?
    let delay: String?
    let maxViewers: Int?
    let label: String?

    /// - Throws: ``APIRefusal/badField(name:allowed:)``
    func wish() throws(APIRefusal) -> ShareWish {
        var wish = ShareWish()
        wish.name = name
        wish.maxViewers = maxViewers
        wish.label = label
        if let scope {
            guard let parts = Scope(names: scope) else {
                throw .badField(
                    name: "scope",
                    allowed: "any of \(Scope.names.map(\.name).joined(separator: ", "))")
            }
            wish.scope = parts
        }
        if let expires {
            wish.expiresInSeconds = try Self.seconds(expires, of: "expires")
        }
        if let delay { wish.delaySeconds = Int(try Self.seconds(delay, of: "delay")) }
        return wish
    }

    private static func seconds(_ text: String, of name: String) throws(APIRefusal) -> Double {
        guard let seconds = DurationText.seconds(text), seconds < 1e10 else {
            throw .badField(name: name, allowed: "a duration as 30s, 5m, 24h or 7d")
        }
        return seconds
    }
}
