import Foundation
import Sharing

/// Message of a client on HypeRate's socket: a Phoenix message without its payload.
package struct HypeRateMessage: Hashable, Sendable {
    /// Reference chosen by the client: a count in the first clients, text in later ones.
    package enum Reference: Hashable, Sendable {
        case number(Int)
        case text(String)
    }

    /// `phoenix` if the client names none.
    package let topic: String
    package let event: String
    package let reference: Reference?

    /// `nil` unless `text` is a JSON object with an event.
    package init?(_ text: String) {
        guard let message = try? JSONDecoder().decode(Coding.self, from: Data(text.utf8)) else {
            return nil
        }
        topic = message.topic ?? "phoenix"
        event = message.event
        reference = message.ref
    }

    private struct Coding: Decodable {
        let topic: String?
        let event: String
        let ref: Reference?
    }

    /// - Parameter accepted: `false` spells an error.
    /// - Returns: The answer, a JSON object. A reference that is text comes back if it is up to 32
    ///   ASCII letters and digits, else as `null`.
    package func reply(accepted: Bool) -> String {
        switch reference {
        case .number(let number): return reply(number, accepted)
        case nil: return reply(nil, accepted)
        case .text(let reference):
            let text = reply(nil, accepted)
            let isPlain =
                reference.utf8.count <= 32
                && reference.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            guard isPlain, text.hasSuffix("null}") else { return text }
            return text.dropLast(5) + "\"\(reference)\"}"
        }
    }

    private func reply(_ reference: Int?, _ accepted: Bool) -> String {
        String(
            decoding: HypeRate.reply(topic: topic, reference: reference, accepted: accepted),
            as: UTF8.self)
    }
}

extension HypeRateMessage.Reference: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }
}
