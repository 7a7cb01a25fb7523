import ArgumentParser
import Foundation
import Runtime

struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Lists, shows, names and deletes recorded sessions.",
        subcommands: [List.self, Show.self, SessionSet.self, Delete.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the sessions, newest first.",
            discussion: """
                Example:
                  pulsecast session list --device my-watch --since 30d
                  pulsecast session list --device my-watch --search 2026-11
                """)
        @OptionGroup var admin: AdminOptions
        @Option(help: .value("name", "Only of this device."), completion: .devices)
        var device: String?
        @Flag(help: "Only those of devices that are not registered.") var orphans = false
        @Option(
            help: .value(
                "text", "Only those with it in the name or the notes, or of a day as 2026-11."))
        var search: String?
        @Option(help: .value("count", "How many at most.")) var limit = 100
        @Option(
            help: .value("time", "Only those since a day (2026-11-21) or of the last 12h, 7d …"))
        var since: String?
        @Option(
            help: .value("cursor", "Only those before this cursor: the last list ended with it."))
        var before: String?

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit is at least 1") }
        }

        func run() async throws {
            var query: [(name: String, value: String)] = []
            if let device { query.append(("device", device)) }
            if orphans { query.append(("orphans", "true")) }
            if let since { query.append(("since", String(try Self.seconds(since)))) }
            if let search { query.append(("search", search)) }
            let page = try await admin.sessions(query, limit: limit, before: before)
            try admin.print(
                page.list,
                columns: [
                    "id", "device", "startedAt", "state", "frames", "distanceMeters", "name",
                ])
            guard let next = page.next, !admin.json else { return }
            Terminal.complain("older ones: --before \(next)")
        }

        /// - Returns: Seconds since 1970.
        private static func seconds(_ text: String) throws -> Double {
            if let ago = DurationText.seconds(text) { return Date().timeIntervalSince1970 - ago }
            let day = try? Date(text, strategy: .iso8601.year().month().day())
            guard let date = day ?? (try? Date(text, strategy: .iso8601)) else {
                throw CommandFailure(
                    "\(text) is no time: use 2026-11-21, 2026-11-21T06:00:00Z, 12h or 7d",
                    status: ExitStatus.wrongUse)
            }
            return date.timeIntervalSince1970
        }
    }

    /// The session that a command refers to.
    struct Name: ParsableArguments {
        @Argument(
            help: .value("session", "The session's ID, the first digits of it, or latest."),
            completion: .sessions)
        var id: String
        @Option(help: .value("name", "With latest: of this device."), completion: .devices)
        var device: String?

        var path: String { Self.path(of: id, device) }

        static func path(of id: String, _ device: String?) -> String {
            "/sessions/\(segment(id))" + (device.map { "?device=\(segment($0))" } ?? "")
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows one session.",
            discussion: """
                Example:
                  pulsecast session show latest
                """)
        @OptionGroup var admin: AdminOptions
        @OptionGroup var name: Name

        func run() async throws {
            Terminal.say(json: Array(try await admin.ask("GET", name.path)))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Erases a session from the log; nothing of it stays readable.",
            discussion: """
                Example:
                  pulsecast session delete latest --device my-watch
                """)
        @OptionGroup var admin: AdminOptions
        @Argument(
            help: .value("session", "The session's ID, the first digits of it, or latest."),
            completion: .sessions)
        var id: String?
        @Option(help: .value("name", "With latest: of this device."), completion: .devices)
        var device: String?
        @Flag(help: "All sessions of devices that are not registered.") var orphans = false

        private struct Erased: Decodable {
            let sessionsErased: Int
        }

        func validate() throws {
            guard (id == nil) == orphans else {
                throw ValidationError("name a session, or give --orphans")
            }
        }

        func run() async throws {
            let path = id.map { Name.path(of: $0, device) } ?? "/sessions?orphans=true"
            let data = try await admin.ask("DELETE", path)
            if admin.json { return Terminal.say(json: Array(data)) }
            let erased = try JSONDecoder().decode(Erased.self, from: data).sessionsErased
            Terminal.say(orphans ? "erased \(erased) session(s)" : "erased")
        }
    }
}
