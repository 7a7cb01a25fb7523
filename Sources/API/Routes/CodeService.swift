import Registry
import Runtime
import SensorModel
import Sharing
import Transport

/// Codes of shares, to read aloud.
struct CodeService: Sendable {
    let administration: Administration

    private struct Body: Decodable {
        let expires: String?
    }

    private struct Row: Encodable {
        let code: String
        let expiresAt: Double
    }

    /// - Parameters:
    ///   - request: Request with the code's life.
    ///   - share: The share that it opens.
    ///   - owner: The share's device, if its owner asks.
    /// - Returns: The code.
    /// - Throws: ``APIRefusal``, `ShareError`, ``AdministrationError``, `RegistryError`
    func issue(
        _ request: HTTPRequest, for share: Share, by owner: Device? = nil
    ) throws -> HTTPResponse {
        let body = try JSONBody.decode(Body.self, of: request)
        let text = body.expires ?? "10m"
        guard let seconds = DurationText.seconds(text),
            (1...Double(ShortCodes.lifetimeSecondsMax)).contains(seconds)
        else { throw APIRefusal.badField(name: "expires", allowed: "1s to 24h") }
        let made = try administration.issueCode(
            for: share, lifetimeSeconds: Int(seconds), by: owner)
        return JSONBody.response(
            Row(code: made.code.text, expiresAt: made.expiresAt.secondsSince1970), status: 201)
    }
}
