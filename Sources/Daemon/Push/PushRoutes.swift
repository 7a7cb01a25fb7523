import Foundation
import Interchange
import Registry
import Secrets
import SensorModel
import Transport

/// Takes what applications that exist already push, each in its own format.
struct PushRoutes: Sendable {
    let desk: PushDesk
    let accounts: Accounts
    let commands: WaitingCommands
    let clock: @Sendable () -> Timestamp

    func add(to router: inout Router) {
        for format in PushFormat.allCases {
            for path in ["/in/\(format.rawValue)/:token", "/in/\(format.rawValue)"] {
                router.add(.post, path) { await take($0, as: format) }
                if format.takesGet { router.add(.get, path) { await take($0, as: format) } }
                if format == .hrpush { router.add(.get, path, .socket(strapRelay)) }
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
            var response = await answer(push, from: device.id, as: format)
            response.proof = .device
            return response
        }
    }

    private func answer(
        _ request: PushRequest, from device: DeviceID, as format: PushFormat
    ) async -> HTTPResponse {
        let now = request.arrivalTime
        let waiting = commands.commands(for: device, at: now)
        let batch = format.batch(of: request, commands: waiting)
        accounts.withState { $0.lastSeen[device] = now }
        switch await desk.take(batch, from: device, as: format) {
        case .recorded: break
        case .notDurable:
            return .failure(
                status: 503, reason: "not recorded: the log cannot be written now",
                fields: ["Retry-After": "5"])
        case .tooMany: return ShareRefusal.tooMany(retryAfterSeconds: 10).response
        }
        commands.delivered(batch.deliveredCommands, to: device)
        return HTTPResponse(batch.reply)
    }

    // MARK: Whose it is

    private func device(
        of request: HTTPRequest, _ format: PushFormat
    ) -> Result<Device, TokenRefusal> {
        OwnerDoor(accounts: accounts, clock: clock)
            .device(token: Self.token(of: request, format), peer: request.peer)
    }

    /// From the path, or from `Authorization` in any of the ways applications spell it.
    static func token(of request: HTTPRequest, _ format: PushFormat) -> String? {
        if let token = request.parameters["token"] { return token }
        if let field = request.fields["authorization"] { return token(inAuthorization: field) }
        guard format == .hr else { return nil }
        if let token = request.query["token"] { return token }
        let isForm = request.fields["content-type"]?.contains("form-urlencoded") ?? false
        return isForm ? QueryItems(String(decoding: request.body, as: UTF8.self))["token"] : nil
    }

    /// `Bearer TOKEN`, `Basic` with the token as the password, or the token alone.
    static func token(inAuthorization field: String) -> String? {
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

    private static func response(
        to refusal: TokenRefusal, _ format: PushFormat
    ) -> HTTPResponse {
        guard refusal == .wrong else { return refusal.response }
        var response = HTTPResponse(format.tokenRefusal)
        if response.status == 401 {
            response.fields["WWW-Authenticate"] = "Basic realm=\"pulsecast\""
        }
        return response
    }

    /// The query as the mappers read it: percent-encoded.
    private static func text(of query: QueryItems) -> String {
        query.items.map { encoded($0.name) + "=" + encoded($0.value) }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    // MARK: hr_push over WebSocket

    /// Bad messages in a row after which a sender is not what it says.
    private static let badMessagesMax = 100

    /// Every text message is what a request's body would be; nothing is answered.
    private var strapRelay: SocketProgram {
        SocketProgram(proof: .device, messageBytesMax: Limits.webSocketMessageBytesMax) {
            request in
            switch device(of: request, .hrpush) {
            case .failure(let refusal): .refused(Self.response(to: refusal, .hrpush))
            case .success(let device): .admitted { await relay($0, from: device) }
            }
        }
    }

    private func relay(_ conversation: SocketConversation, from admitted: Device) async {
        var badMessages = 0
        for await message in conversation.messages {
            guard let device = accounts.device(admitted.id), !device.isRevoked,
                ConstantTime.areEqual(device.tokenHash, admitted.tokenHash)
            else { return conversation.close(code: CloseCode.tokenRefused.rawValue) }
            guard case .text(let text) = message else { continue }
            let push = PushRequest(
                contentType: "application/json", body: Array(text.utf8), arrivalTime: clock())
            let answer = await answer(push, from: device.id, as: .hrpush)
            badMessages = answer.status == 400 ? badMessages + 1 : 0
            guard badMessages <= Self.badMessagesMax else {
                return conversation.close(code: CloseCode.tooManyRequests.rawValue)
            }
        }
    }
}

extension HTTPResponse {
    /// What the application waits for, to the byte.
    init(_ reply: PushReply) {
        self.init(
            status: reply.status, fields: [:], body: .bytes(reply.body))
        if let type = reply.contentType { fields["Content-Type"] = type }
        fields["Cache-Control"] = "no-store"
    }
}
