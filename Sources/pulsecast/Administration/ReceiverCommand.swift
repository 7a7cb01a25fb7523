import ArgumentParser
import Foundation

/// Manages whom a device's owner wants told of alerts.
struct ReceiverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receiver",
        abstract: "Manages who is told of a device's alerts.",
        discussion: """
            A receiver is told of SOS, a fall, no movement, the safety timer, a runner who left \
            the course, is overdue at a checkpoint or silent: again and again until one \
            confirms. It learns what the share shows that the first receiver makes.
            """,
        subcommands: [List.self, Set.self, Remove.self, Test.self])

    static func path(_ device: String, _ receiver: String? = nil) -> String {
        "/devices/\(segment(device))/receivers" + (receiver.map { "/\(segment($0))" } ?? "")
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the receivers of a device.",
            discussion: """
                Example:
                  pulsecast receiver list my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String

        func run() async throws {
            try admin.print(
                try await admin.ask("GET", ReceiverCommand.path(device)),
                columns: ["name", "kind", "address", "silentMinutes", "share"])
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Adds a receiver, or changes the one of the same name.",
            discussion: """
                Hosts that are not of the internet, or have no TLS, must be in the daemon's \
                alerts.trusted_hosts.

                Example:
                  pulsecast receiver set my-watch mum --ntfy https://ntfy.example/anna-4711 \
                --silent-minutes 15
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String
        @Argument(help: .value("name", "The receiver's name.")) var name: String
        @Option(help: .value("address", "A topic of an ntfy server: https://server/topic."))
        var ntfy: String?
        @Option(help: .value("address", "An address that takes a POST of JSON.")) var webhook:
            String?
        @Flag(help: "The daemon's MQTT broker, if mqtt.alerts has the device.") var mqtt = false
        @Option(
            help: .value(
                "file", "Its first line is the server's access token, or the signature's key."),
            completion: .file())
        var secretFile: String?
        @Option(help: .value("count", "Tell after so many minutes without frames, 3 to 240."))
        var silentMinutes: Int?
        @Flag(help: "Tell it everything, also while the runner is hidden.") var trusted = false

        func validate() throws {
            guard [ntfy != nil, webhook != nil, mqtt].count(where: \.self) == 1 else {
                throw ValidationError("give one of --ntfy, --webhook and --mqtt")
            }
        }

        func run() async throws {
            let kind = mqtt ? "mqtt" : ntfy == nil ? "webhook" : "ntfy"
            var body: [String: any Sendable] = ["kind": kind]
            body["address"] = ntfy ?? webhook
            body["silentMinutes"] = silentMinutes
            body["trusted"] = trusted
            if let secretFile { body["secret"] = try AdminOptions.firstLine(of: secretFile) }
            let data = try await admin.ask(
                "PUT", ReceiverCommand.path(device, name), body: body)
            if admin.json { return Terminal.say(json: Array(data)) }
            let row = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            if let warning = row?["warning"] as? String { Terminal.complain(warning) }
            Terminal.say("\(name) is told of alerts of \(device)")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes a receiver.",
            discussion: """
                Example:
                  pulsecast receiver remove my-watch mum
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String
        @Argument(help: .value("name", "The receiver's name.")) var name: String

        func run() async throws {
            _ = try await admin.ask("DELETE", ReceiverCommand.path(device, name))
            if !admin.json { Terminal.say("removed") }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Sends a receiver a message that is a test.",
            discussion: """
                Example:
                  pulsecast receiver test my-watch mum
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String
        @Argument(help: .value("name", "The receiver's name.")) var name: String

        private struct Answer: Decodable {
            let delivered: Bool
            let status: Int?
        }

        func run() async throws {
            let data = try await admin.ask(
                "POST", ReceiverCommand.path(device, name) + "/test")
            if admin.json { return Terminal.say(json: Array(data)) }
            let answer = try JSONDecoder().decode(Answer.self, from: data)
            guard !answer.delivered else { return Terminal.say("\(name) is told") }
            let reason = answer.status.map { "its server answered \($0)" } ?? "no answer came"
            throw CommandFailure("\(name) was not told: \(reason); check its address")
        }
    }
}
