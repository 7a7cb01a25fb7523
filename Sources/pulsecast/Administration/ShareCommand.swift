import ArgumentParser
import Foundation

struct ShareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Makes, lists and takes back links for viewers.",
        subcommands: [
            Create.self, List.self, Revoke.self, Rotate.self, Show.self, Opens.self, Code.self,
            Group.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the shares by their names, without their secrets.",
            discussion: """
                Example:
                  pulsecast share list --json
                """)
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let data = try await admin.ask("GET", "/shares")
            try admin.print(
                data,
                columns: [
                    "name", "device", "scope", "public", "expiresAt", "delaySeconds", "viewers",
                    "viewersEver", "state",
                ])
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Takes a link back: its viewers are closed at once.",
            discussion: """
                Example:
                  pulsecast share revoke my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("share", "The share's name or ID."), completion: .shares)
        var share: String

        func run() async throws {
            _ = try await admin.ask("POST", "/shares/\(segment(share))/revoke")
            Terminal.say("revoked")
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Gives a share a new link; the old one ends at once.",
            discussion: """
                Example:
                  pulsecast share rotate my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("share", "The share's name or ID."), completion: .shares)
        var share: String

        func run() async throws {
            try ShareCommand.tell(
                await admin.ask("POST", "/shares/\(segment(share))/rotate"), admin)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Shows one share; with --reveal its secret link again.",
            discussion: """
                Example:
                  pulsecast share show my-watch --reveal
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("share", "The share's name."), completion: .shares)
        var name: String
        @Flag(help: "Print the secret ID and link.") var reveal = false

        func run() async throws {
            let path = "/shares/\(segment(name))"
            if reveal {
                return try ShareCommand.tell(await admin.ask("POST", path + "/reveal"), admin)
            }
            Terminal.say(json: Array(try await admin.ask("GET", path)))
        }
    }

    struct Opens: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "opens",
            abstract: "Lists when a link was opened, by visitors without their addresses.",
            discussion: """
                Example:
                  pulsecast share opens my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("share", "The share's name."), completion: .shares)
        var name: String

        func run() async throws {
            let data = try await admin.ask("GET", "/shares/\(segment(name))/opens")
            try admin.print(data, columns: ["at", "event", "visitor"])
        }
    }

    struct Code: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "code",
            abstract: "Prints a short code to read aloud: one use, for the start page.",
            discussion: """
                Example:
                  pulsecast share code my-watch --expires 1h
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(help: .value("share", "The share's name."), completion: .shares)
        var name: String
        @Option(help: .value("duration", "How long it is valid.")) var expires = "10m"

        func run() async throws {
            let data = try await admin.ask(
                "POST", "/shares/\(segment(name))/code", body: ["expires": expires])
            if admin.json { return Terminal.say(json: Array(data)) }
            Terminal.say(try JSONDecoder().decode(Made.self, from: data).code)
        }

        private struct Made: Decodable {
            let code: String
        }
    }

    struct Group: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "group",
            abstract: "Makes one link for several runners.",
            discussion: """
                Example:
                  pulsecast share group --share ann --share bob --label "Our race"
                """)
        @OptionGroup var admin: AdminOptions
        @Option(
            name: .customLong("share"),
            help: .value("name", "A share's name; 2 to 50 of them."), completion: .shares)
        var shares: [String] = []
        @Option(help: .value("text", "What commands call the group.")) var name: String?
        @Option(help: .value("duration", "How long it is valid.")) var expires: String?
        @Option(help: .value("text", "What viewers read as title.")) var label: String?

        func run() async throws {
            var body: [String: any Sendable] = ["shares": shares]
            body["name"] = name
            body["expires"] = expires
            body["label"] = label
            try ShareCommand.tell(await admin.ask("POST", "/shares/group", body: body), admin)
        }
    }

    private struct Link: Decodable {
        let name: String
        let url: String
        let `public`: String?
        let warning: String?
    }

    static func tell(_ data: Data, _ admin: AdminOptions) throws {
        if admin.json { return Terminal.say(json: Array(data)) }
        let link = try JSONDecoder().decode(Link.self, from: data)
        Terminal.say(link.url)
        let who = link.public == nil ? "Whoever has this link can" : "Everybody can find it, and"
        Terminal.complain(
            "\(who) watch. Its name is \(link.name); take it back with:"
                + " pulsecast share revoke \"\(link.name)\"")
        if let warning = link.warning { Terminal.complain(warning) }
    }
}
