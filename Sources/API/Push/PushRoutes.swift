import Foundation
package import PushFormats
import Registry
package import Runtime
package import SensorModel
package import Transport

/// Accepts the push requests of existing applications, each in its own format.
package struct PushRoutes: Sendable {
    package let service: PushService
    package let accounts: Accounts
    package let commands: WaitingCommands
    package let pipeline: Pipeline
    package let clock: @Sendable () -> Timestamp

    package init(
        service: PushService, accounts: Accounts, commands: WaitingCommands, pipeline: Pipeline,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.service = service
        self.accounts = accounts
        self.commands = commands
        self.pipeline = pipeline
        self.clock = clock
    }

    package func add(to router: inout Router) {
        for format in PushFormat.allCases {
            for path in ["/in/\(format.rawValue)/:token", "/in/\(format.rawValue)"] {
                for method in [.post] + (format.takesPut ? [.put] : []) as [HTTPRequest.Method] {
                    router.add(method, path, bodyBytesMax: .max) { await take($0, as: format) }
                }
                if format.takesGet { router.add(.get, path) { await take($0, as: format) } }
                if format.takesSocket { router.add(.get, path, .socket(relay(of: format))) }
            }
        }
    }

    private func take(_ request: HTTPRequest, as format: PushFormat) async -> HTTPResponse {
        switch device(of: request, format) {
        case .failure(let refusal): return Self.response(to: refusal, format)
        case .success(let device):
            let push = PushRequest(
                query: Self.text(of: request.query), contentType: request.fields["content-type"],
                body: request.body, arrivalTime: clock())
            var response = await record(push, from: device.id, as: format)
            response.proof = .device(device.id)
            return response
        }
    }

    /// Records a request of an authenticated device within its budgets.
    ///
    /// - Returns: The answer for the application.
    func record(
        _ request: PushRequest, from device: DeviceID, as format: PushFormat
    ) async -> HTTPResponse {
        await answer {
            try await accounts.requests.run(for: device, bodyBytes: request.body.count) {
                await recordInTurn(request, from: device, as: format)
            }
        }
    }

    private func recordInTurn(
        _ request: PushRequest, from device: DeviceID, as format: PushFormat
    ) async -> HTTPResponse {
        let now = request.arrivalTime
        let waiting = commands.commands(for: device, at: now)
        let batch: PushBatch
        do {
            batch = try await pipeline.reading(request.body, of: device) {
                format.batch(of: request, commands: waiting)
            }
        } catch { return ReadAnswer.response(to: error) }
        accounts.withState { $0.lastSeen[device] = now }
        switch await service.take(batch, from: device, as: format) {
        case .recorded: break
        case .notDurable:
            return .failure(
                status: 503, reason: "not recorded: the log cannot be written now",
                fields: ["Retry-After": "5"])
        case .tooSparse:
            return .failure(
                status: 413,
                reason:
                    "not recorded: there is too much time between the points, or there are too "
                    + "many pauses and laps: send them in parts")
        case .tooMany: return ShareRefusal.tooMany(retryAfterSeconds: 10).response
        }
        commands.delivered(batch.deliveredCommands, to: device)
        return HTTPResponse(batch.reply)
    }

    // MARK: Authentication

    func device(
        of request: HTTPRequest, _ format: PushFormat
    ) -> Result<Device, TokenRefusal> {
        OwnerAuthenticator(accounts: accounts, clock: clock)
            .device(token: Self.token(of: request, format), peer: request.peer)
    }

    /// Longest form in which a token is looked for, in bytes.
    private static let formBytesMax = 4096

    /// The token from the path, or from `Authorization` in any of the forms applications use.
    package static func token(of request: HTTPRequest, _ format: PushFormat) -> String? {
        if let token = request.parameters["token"] { return token }
        if let field = request.fields["authorization"] { return token(inAuthorization: field) }
        guard format == .hr else { return nil }
        if let token = request.query["token"] { return token }
        let isForm = request.fields["content-type"]?.contains("form-urlencoded") ?? false
        // The form is read before authentication, so its length is bounded.
        guard request.body.count <= formBytesMax else { return nil }
        return isForm ? QueryItems(String(decoding: request.body, as: UTF8.self))["token"] : nil
    }

    /// Accepts `Bearer TOKEN`, `Basic` with the token as the password, or the token alone.
    package static func token(inAuthorization field: String) -> String? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return parts.first.map(String.init) }
        let credentials = parts[1].trimmingCharacters(in: .whitespaces)
        switch parts[0].lowercased() {
        case "basic":
            guard let bytes = Data(base64Encoded: credentials) else { return nil }
            let pair = String(decoding: bytes, as: UTF8.self)
                .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return pair.last.map(String.init)
        default: return credentials
        }
    }

    static func response(
        to refusal: TokenRefusal, _ format: PushFormat
    ) -> HTTPResponse {
        guard refusal == .wrong else { return refusal.response }
        var response = HTTPResponse(format.tokenRefusal)
        if response.status == 401 {
            response.fields["WWW-Authenticate"] = "Basic realm=\"pulsecast\""
        }
        return response
    }

    /// The query, percent-encoded, as the mappers read it.
    private static func text(of query: QueryItems) -> String {
        query.items.map { encoded($0.name) + "=" + encoded($0.value) }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}

extension HTTPResponse {
    /// The exact answer that the application expects, to the byte.
    init(_ reply: PushReply) {
        self.init(
            status: reply.status, fields: [:], body: .bytes(reply.body))
        if let type = reply.contentType { fields["Content-Type"] = type }
        fields["Cache-Control"] = "no-store"
    }
}
