import ArgumentParser
import Foundation

/// Manages where a device's finished runs are delivered.
struct DeliveryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery",
        abstract: "Manages where a device's finished runs are delivered.",
        discussion: """
            A target gets each run that ends from now on as a FIT file, once, with all that was \
            measured, hidden places too. What fails is tried again for some days, also after a \
            restart. Erasing a session does not take back what was delivered.
            """,
        subcommands: [Targets.self, Set.self, Remove.self, List.self, Send.self])

    static func path(_ device: String, _ rest: String) -> String {
        "/devices/\(segment(device))/\(rest)"
    }

    struct Targets: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "targets", abstract: "Lists the targets of a device.",
            discussion: """
                Example:
                  pulsecast delivery targets my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String

        func run() async throws {
            try admin.print(
                try await admin.ask("GET", DeliveryCommand.path(device, "targets")),
                columns: ["name", "kind", "address", "hasSecret"])
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Adds a target, or changes the one of the same name.",
            discussion: """
                Hosts that are not of the internet, or have no TLS, must be in the daemon's \
                alerts.trusted_hosts. A folder must be set in its deliveries.folder.

                The secret's file has in its first line: for intervals.icu the API key of its \
                page of settings; for FitTrackee an access token, or ID:SECRET:REFRESHTOKEN of \
                an app with the scopes workouts:read and workouts:write; for a webhook the \
                signature's key.

                Examples:
                  pulsecast delivery set my-watch diary --intervals --secret-file key.txt
                  pulsecast delivery set my-watch files --folder
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String
        @Argument(help: .value("name", "The target's name.")) var name: String
        @Option(help: .value("address", "An address that takes a form with the file."))
        var webhook: String?
        @Flag(help: "The daemon's folder for finished runs.") var folder = false
        @Flag(help: "intervals.icu.") var intervals = false
        @Option(help: .value("address", "A FitTrackee server: https://server.")) var fittrackee:
            String?
        @Option(help: .value("number", "FitTrackee's number of the sport; 5 is running."))
        var sport: Int?
        @Option(
            help: .value("file", "Its first line is the secret; without it the known one stays."),
            completion: .file())
        var secretFile: String?

        func validate() throws {
            let chosen = [webhook != nil, folder, intervals, fittrackee != nil].filter { $0 }
            guard chosen.count == 1 else {
                throw ValidationError("give one of --webhook, --folder, --intervals, --fittrackee")
            }
        }

        func run() async throws {
            var body: [String: any Sendable] = ["kind": kind]
            body["address"] = webhook ?? fittrackee
            body["sport"] = sport
            body["secret"] = try secretFile.map(AdminOptions.firstLine)
            let data = try await admin.ask(
                "PUT", DeliveryCommand.path(device, "targets/\(segment(name))"), body: body)
            if admin.json { return Terminal.say(json: Array(data)) }
            Terminal.say("\(name) gets the runs of \(device) that end from now on")
        }

        private var kind: String {
            if webhook != nil { return "webhook" }
            if fittrackee != nil { return "fittrackee" }
            return folder ? "folder" : "intervals"
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes a target.",
            discussion: """
                Example:
                  pulsecast delivery remove my-watch diary
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String
        @Argument(help: .value("name", "The target's name.")) var name: String

        func run() async throws {
            _ = try await admin.ask(
                "DELETE", DeliveryCommand.path(device, "targets/\(segment(name))"))
            if !admin.json { Terminal.say("removed") }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the newest deliveries of a device.",
            discussion: """
                Example:
                  pulsecast delivery list my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String

        func run() async throws {
            try admin.print(
                try await admin.ask("GET", DeliveryCommand.path(device, "deliveries")),
                columns: ["session", "target", "state", "tries", "changedAt", "dueAt", "reason"])
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send", abstract: "Delivers a session now, also if it was before.",
            discussion: """
                Example:
                  pulsecast delivery send my-watch latest diary
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("device", "The device."), completion: .devices) var device: String
        @Argument(
            help: .value("session", "A session's ID, the beginning of one, or latest."),
            completion: .sessions)
        var session: String
        @Argument(help: .value("name", "The target's name.")) var target: String

        func run() async throws {
            let data = try await admin.ask(
                "POST", DeliveryCommand.path(device, "deliveries"),
                body: ["session": session, "target": target])
            if admin.json { return Terminal.say(json: Array(data)) }
            Terminal.say("on its way: see `pulsecast delivery list \(device)`")
        }
    }
}
