import Bytes
import PushFormats
import Registry
import Runtime
import Secrets
import SensorModel
import Transport

/// Push requests as messages over WebSocket.
extension PushRoutes {
    /// Longest message, in bytes; one reading needs 200.
    private static let relayedBytesMax = 16 << 10
    /// Bad messages in a row after which the socket is closed: the sender uses another format.
    private static let badMessagesMax = 100

    /// Handles each text message like a request's body; sends no answers.
    func relay(of format: PushFormat) -> SocketProgram {
        SocketProgram(messageBytesMax: Self.relayedBytesMax) { request in
            switch device(of: request, format) {
            case .failure(let refusal): .refused(Self.response(to: refusal, format))
            case .success(let device):
                .admittedDevice(device.id) { await relay($0, from: device, as: format) }
            }
        }
    }

    private func relay(
        _ conversation: SocketConversation, from admitted: Device, as format: PushFormat
    ) async {
        var badMessages = 0
        for await message in conversation.messages {
            guard let device = accounts.device(admitted.id), !device.isRevoked,
                ConstantTime.areEqual(device.tokenHash, admitted.tokenHash)
            else { return conversation.close(code: CloseCode.tokenRefused.rawValue) }
            guard case .text(let text) = message else { continue }
            let push = PushRequest(
                contentType: "application/json", body: Array(text.utf8), arrivalTime: clock())
            let answer = await record(push, from: device.id, as: format)
            // Nothing was recorded; the sender keeps its readings and reconnects.
            if answer.status == 429 {
                return conversation.close(code: CloseCode.tooManyRequests.rawValue)
            }
            if answer.status == 503 {
                return conversation.close(code: CloseCode.tryAgainLater.rawValue)
            }
            badMessages = answer.status == 400 ? badMessages + 1 : 0
            guard badMessages <= Self.badMessagesMax else {
                return conversation.close(code: CloseCode.tooManyRequests.rawValue)
            }
        }
    }
}
