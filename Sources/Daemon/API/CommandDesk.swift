import Interchange
import Registry
import SensorModel
import Transport

/// Takes the owner's commands to the device: at once over an open connection, else with the answer
/// to the next request of an app that can be told.
struct CommandDesk: Sendable {
    let pipeline: Pipeline
    let waiting: WaitingCommands
    let clock: @Sendable () -> Timestamp

    private struct Body: Decodable {
        let command: String
    }

    private struct Row: Encodable {
        let command: String
        /// Whether a connection of the device was there to take it.
        let sent: Bool
    }

    func answer(_ request: HTTPRequest, for device: Device) async throws -> HTTPResponse {
        let body = try JSONBody.decode(Body.self, of: request)
        guard let command = PushCommand(rawValue: body.command) else {
            let names = PushCommand.allCases.map(\.rawValue)
            throw APIRefusal.badField(name: "command", allowed: names.joined(separator: ", "))
        }
        let sent = await pipeline.mailbox.ask { core in
            core.send(command: command.rawValue, to: device.id)
        }
        if sent != true { waiting.add(command, for: device.id, at: clock()) }
        return JSONBody.response(
            Row(command: command.rawValue, sent: sent ?? false), status: 202)
    }
}
