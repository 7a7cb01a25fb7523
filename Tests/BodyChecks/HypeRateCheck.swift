import API
import Bytes
import Foundation

enum HypeRateCheck {
    private struct Reply: Decodable {
        let topic: String
        let event: String
        let payload: Payload
        let ref: HypeRateMessage.Reference?

        struct Payload: Decodable {
            let status: String
        }
    }

    static func run(_ bytes: [UInt8]) throws(Breach) {
        guard let text = String(validating: bytes, as: UTF8.self),
            let message = HypeRateMessage(text)
        else { return }
        for isAccepted in [true, false] { try check(message, isAccepted, text.utf8.count) }
    }

    private static func check(
        _ message: HypeRateMessage, _ isAccepted: Bool, _ bytesSent: Int
    ) throws(Breach) {
        let text = message.reply(accepted: isAccepted)
        // A character that is unsafe in a page is escaped to six bytes.
        let bytesMax = 6 * bytesSent + 256
        try expect(text.utf8.count <= bytesMax, "\(text.utf8.count) for \(bytesSent) bytes")
        guard let reply = try? JSONDecoder().decode(Reply.self, from: Data(text.utf8)) else {
            throw Breach(what: "a reply that is no JSON: \(text)")
        }
        try expect(reply.topic == CleanText.clean(message.topic), "another topic: \(text)")
        try expect(reply.event == "phx_reply", "another event: \(text)")
        try expect(reply.payload.status == (isAccepted ? "ok" : "error"), "status: \(text)")
        try expect(reply.ref == nil || reply.ref == message.reference, "reference: \(text)")
        if case .number = message.reference {
            try expect(reply.ref == message.reference, "a number is lost: \(text)")
        }
    }

    static let seeds = [
        #"{"topic":"hr:internal-testing","event":"phx_join","payload":{},"ref":0}"#,
        #"{"topic":"hr:AAAAAAAAAAAAAAAAAAAAAA","event":"phx_leave","payload":{},"ref":"12a"}"#,
        #"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":null}"#,
        #"{"event":"ping","ref":-9223372036854775808,"topic":"ä\"\n"}"#,
    ]
}
