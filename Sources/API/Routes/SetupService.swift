import PushFormats
import Registry
import Runtime
import SegmentLog
import SensorModel
import Transport

/// Settings with which an application on a phone sends as a device.
struct SetupService: Sendable {
    let administration: Administration
    let catalog: SessionCatalog
    /// Prefix of links, unless the owner names another.
    let publicURL: @Sendable () -> String

    private struct SetupRequest: Decodable {
        let app: String
        /// The device's token. The daemon does not store it, so the request contains it or a new
        /// one is made.
        let token: String?
        let rotate: Bool?
        let url: String?
    }

    private struct Row: Encodable {
        let app: String
        let link: String
        let isDeepLink: Bool
        let steps: [String]
        /// Device name, returned with its token if the request named the device. A request with a
        /// token already has both.
        let device: String?
        let token: String?

        init(
            _ application: PhoneApplication, baseURL: String, device: String, token: String,
            toldToken: Bool
        ) {
            let setup = PhoneSetup(application, baseURL: baseURL, device: device, token: token)
            app = application.name
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
            PhoneApplication.allCases.map {
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
        let setup = try JSONBody.decode(SetupRequest.self, of: request)
        guard let application = PhoneApplication(named: setup.app) else {
            throw APIRefusal.badField(
                name: "app",
                allowed: PhoneApplication.allCases.map(\.name).joined(separator: ", "))
        }
        let url = try baseURL(setup.url)
        let token = try token(of: name, setup)
        return JSONBody.response(
            Row(application, baseURL: url, device: name, token: token, toldToken: true))
    }

    /// The token of the request, or a new one if that revokes no token in use.
    private func token(of name: String, _ setup: SetupRequest) throws -> String {
        let accounts = administration.accounts
        guard let device = accounts.device(named: name) else {
            return try administration.addDevice(named: name).token
        }
        if let token = setup.token {
            guard accounts.device(withToken: token)?.id == device.id else {
                throw APIRefusal.badField(name: "token", allowed: "the token of \(name)")
            }
            return token
        }
        let lastSeen = accounts.withState { $0.lastSeen[device.id] } ?? device.lastSeenAt
        let isUnused = lastSeen == nil && catalog.count(of: device.id) == 0
        guard setup.rotate == true || isUnused else {
            throw APIRefusal.conflict(
                "\(name) is in use and its token is not kept here: give it with --token-file, or"
                    + " make a new one, which ends the old one, with --rotate")
        }
        return try administration.rotateDevice(named: name).token
    }
}
