import ArgumentParser
import Foundation

struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Lists, shows and deletes recorded sessions.",
        subcommands: [List.self, Show.self, Delete.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the sessions.")
        @OptionGroup var admin: AdminOptions
        @Option(help: "Only of this device.") var device: String?

        func run() async throws {
            let query = device.map { "?device=\(segment($0))" } ?? ""
            let data = try await admin.ask("GET", "/sessions\(query)")
            try admin.print(
                data,
                columns: ["id", "device", "startedAt", "state", "frames", "distanceMeters"])
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows one session.")
        @OptionGroup var admin: AdminOptions
        @Argument(help: "The session's ID.") var id: String

        func run() async throws {
            Terminal.say(json: Array(try await admin.ask("GET", "/sessions/\(segment(id))")))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Erases a session from the log; nothing of it stays readable.")
        @OptionGroup var admin: AdminOptions
        @Argument(help: "The session's ID.") var id: String

        func run() async throws {
            let data = try await admin.ask("DELETE", "/sessions/\(segment(id))")
            if admin.json { return Terminal.say(json: Array(data)) }
            Terminal.say("erased")
        }
    }
}
