import PushFormats
package import Registry
package import Runtime
package import SensorModel
package import Transport

/// Sends the owner's commands to the device: at once over an open connection, else with the answer
/// to the next request of an app that accepts commands.
package struct CommandService: Sendable {
    package let pipeline: Pipeline
    package let waiting: WaitingCommands
    package let clock: @Sendable () -> Timestamp

    package init(
        pipeline: Pipeline, waiting: WaitingCommands, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.pipeline = pipeline
        self.waiting = waiting
        self.clock = clock
    }

    private struct Body: Decodable {
        let command: String
    }

    private struct Row: Encodable {
        let command: String
        /// Whether an open connection of the device received the command.
        let sent: Bool
    }

    package func answer(_ request: HTTPRequest, for device: Device) async throws -> HTTPResponse {
        let body = try JSONBody.decode(Body.self, of: request)
        guard let command = PhoneCommand(rawValue: body.command) else {
            let names = PhoneCommand.allCases.map(\.rawValue)
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
