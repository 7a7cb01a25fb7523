import Client
import Foundation
import Registry
import Runtime
import Secrets
import Transport

/// The request that brings a message to a receiver of kind webhook or ntfy.
struct ReceiverRequest: Sendable {
    let address: ServerAddress
    let target: String
    let fields: HTTPFields
    let body: [UInt8]

    /// ntfy's form of a message (docs.ntfy.sh, "Publish as JSON").
    private struct Publication: Encodable {
        struct Action: Encodable {
            let action: String
            let label: String
            let url: String
            let method: String?
            let clear: Bool?
        }

        let topic: String
        let title: String
        let message: String
        /// 5 is the most urgent.
        let priority: Int
        let tags: [String]
        let click: String?
        let actions: [Action]
    }

    /// - Parameters:
    ///   - message: What is told.
    ///   - receiver: Who is told.
    ///   - delivery: The same for each try of this message.
    /// - Throws: ``ClientError/badAddress(_:)``
    init(
        _ message: AlertMessage, to receiver: Receiver, delivery: String
    ) throws(ClientError) {
        address = try ServerAddress(receiver.address)
        var fields: HTTPFields = [
            "Content-Type": "application/json", "User-Agent": "pulsecast/\(Version.text)",
        ]
        switch receiver.kind {
        case .mqtt: throw .badAddress("a broker takes no request")
        case .webhook:
            target = address.target
            body = JSONBody.bytes(message) ?? []
            fields["X-Pulsecast-Event"] = message.event
            fields["X-Pulsecast-Delivery"] = delivery
            if let secret = receiver.secret {
                fields["X-Pulsecast-Signature"] =
                    "sha256=" + MessageCode.signature(of: body, key: Array(secret.utf8))
            }
        case .ntfy:
            // A server may lie below a path; the last part is the topic.
            let parts = address.target.split(separator: "/")
            target = "/" + parts.dropLast().joined(separator: "/")
            body =
                JSONBody.bytes(
                    Self.publication(of: message, on: parts.last.map(String.init) ?? "")) ?? []
            if let secret = receiver.secret { fields["Authorization"] = "Bearer \(secret)" }
        }
        self.fields = fields
    }

    private static func publication(of message: AlertMessage, on topic: String) -> Publication {
        var actions: [Publication.Action] = []
        if let confirm = message.confirm {
            actions.append(
                Publication.Action(
                    action: "http", label: "I take care", url: confirm, method: "POST",
                    clear: true))
        }
        if let link = message.link {
            actions.append(
                Publication.Action(
                    action: "view", label: "Live", url: link, method: nil, clear: nil))
        }
        let isUrgent = message.phase == .raised
        return Publication(
            topic: topic, title: message.title, message: message.text,
            priority: isUrgent ? 5 : 3, tags: isUrgent ? ["rotating_light"] : [],
            click: message.link, actions: actions)
    }
}
