import Interchange
import Registry
import SegmentLog
import SensorModel
import Transport

/// Sets an application on a phone up to send as a device.
struct SetupDesk: Sendable {
    let administration: Administration
    let catalog: SessionCatalog
    /// What links begin with, where the owner names nothing else.
    let publicURL: @Sendable () -> String

    private struct Wish: Decodable {
        let app: String
        /// The device's own; it is not kept here, so it has to be told or made anew.
        let token: String?
        let rotate: Bool?
        let url: String?
    }

    private struct Row: Encodable {
        let app: String
        let link: String
        let isDeepLink: Bool
        let steps: [String]
        /// With its token for who asked by the device's name; who came with the token has both.
        let device: String?
        let token: String?

        init(
            _ format: PushFormat, baseURL: String, device: String, token: String, toldToken: Bool
        ) {
            let setup = PhoneSetup(format, baseURL: baseURL, device: device, token: token)
            app = format.rawValue
            link = setup.link
            isDeepLink = setup.isDeepLink
            steps = setup.steps
            self.device = toldToken ? device : nil
            self.token = toldToken ? token : nil
        }
    }

    /// Every application's settings for the device whose token came with the request.
    ///
    /// - Throws: ``APIRefusal/badField(name:allowed:)`` for a `url` that is no web address.
    func all(_ request: HTTPRequest, for device: Device) throws -> HTTPResponse {
        let url = try baseURL(request.query["url"])
        let token = request.bearerToken ?? ""
        return JSONBody.response(
            PushFormat.allCases.map {
                Row($0, baseURL: url, device: device.name, token: token, toldToken: false)
            })
    }

    private func baseURL(_ wanted: String?) throws -> String {
        var url = wanted ?? publicURL()
        while url.hasSuffix("/") { url.removeLast() }
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw APIRefusal.badField(name: "url", allowed: "an address that begins with http")
        }
        return url
    }

    func answer(_ request: HTTPRequest, forDeviceNamed name: String) throws -> HTTPResponse {
        let wish = try JSONBody.decode(Wish.self, of: request)
        guard let format = PushFormat(application: wish.app) else {
            throw APIRefusal.badField(
                name: "app", allowed: PushFormat.allCases.map(\.rawValue).joined(separator: ", "))
        }
        let url = try baseURL(wish.url)
        let token = try token(of: name, wish)
        return JSONBody.response(
            Row(format, baseURL: url, device: name, token: token, toldToken: true))
    }

    /// The token that was told, or a new one where that takes nothing from anybody.
    private func token(of name: String, _ wish: Wish) throws -> String {
        let accounts = administration.accounts
        guard let device = accounts.device(named: name) else {
            return try administration.addDevice(named: name).token
        }
        if let token = wish.token {
            guard accounts.device(withToken: token)?.id == device.id else {
                throw APIRefusal.badField(name: "token", allowed: "the token of \(name)")
            }
            return token
        }
        let lastSeen = accounts.withState { $0.lastSeen[device.id] } ?? device.lastSeenAt
        let isUnused = lastSeen == nil && catalog.count(of: device.id) == 0
        guard wish.rotate == true || isUnused else {
            throw APIRefusal.conflict(
                "\(name) is in use and its token is not kept here: give it with --token-file, or"
                    + " make a new one, which ends the old one, with --rotate")
        }
        return try administration.rotateDevice(named: name).token
    }
}
