package import Runtime
import SensorModel
import Sharing

/// Request for a new share, as commands and owners write it.
package struct ShareBody: StrictBody {
    package static var fields: [String] { CodingKeys.allCases.map(\.rawValue) }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case device, shares, name, expires, scope, delay, maxViewers, label
        case publicName = "public"
    }

    let device: String?
    let shares: [String]?
    let name: String?
    let expires: String?
    let scope: ScopeNames?
    let delay: String?
    let maxViewers: Int?
    let label: String?
    let publicName: String?

    /// A list, as in responses, or names separated by commas, as people type them.
    package struct ScopeNames: Decodable {
        let text: String

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                text = try container.decode([String].self).joined(separator: ",")
            } catch {
                text = try container.decode(String.self)
            }
        }

        /// - Throws: ``APIRefusal/badField(name:allowed:)``
        func scope() throws(APIRefusal) -> Scope {
            guard let parts = Scope(names: text) else {
                throw .badField(
                    name: "scope",
                    allowed: "any of \(Scope.names.map(\.name).joined(separator: ", "))")
            }
            return parts
        }
    }

    /// - Throws: ``APIRefusal``
    package func shareRequest() throws(APIRefusal) -> ShareRequest {
        var request = ShareRequest()
        request.name = name
        request.maxViewers = maxViewers
        request.label = label
        if let publicName {
            guard let name = PublicName(publicName) else {
                throw .badValue("\(ShareError.publicNameInvalid(publicName))")
            }
            request.publicName = name
            // A public share shows the current position only if the request names that scope.
            if scope == nil { request.scope.remove(.location) }
        }
        if let scope { request.scope = try scope.scope() }
        if let expires {
            request.expiresInSeconds = try Self.seconds(expires, of: "expires")
        }
        if let delay { request.delaySeconds = Int(try Self.seconds(delay, of: "delay")) }
        return request
    }

    static func seconds(_ text: String, of name: String) throws(APIRefusal) -> Double {
        guard let seconds = DurationText.seconds(text), seconds < 1e10 else {
            throw .badField(name: name, allowed: "a duration as 30s, 5m, 24h or 7d")
        }
        return seconds
    }
}
