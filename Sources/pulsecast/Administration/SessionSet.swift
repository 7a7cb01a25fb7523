import ArgumentParser

/// Changes what an owner wrote about a session.
struct SessionSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Names a session, and keeps notes and how hard it felt.",
        discussion: """
            Links never show any of it. The perceived exertion is the session's training load \
            where the heart rate is missing. An empty text, or 0, removes.

            Example:
              pulsecast session set latest --name "Long run" --exertion 6
            """)
    @OptionGroup var admin: AdminOptions
    @OptionGroup var session: SessionCommand.Name
    @Option(name: .customLong("name"), help: .value("text", "Up to 80 characters."))
    var title: String?
    @Option(help: .value("text", "Up to 500 characters.")) var notes: String?
    @Option(help: .value("grade", "How hard it felt: 1 (very light) to 10; 0 for none."))
    var exertion: Int?

    func validate() throws {
        guard title != nil || notes != nil || exertion != nil else {
            throw ValidationError("give --name, --notes or --exertion")
        }
    }

    func run() async throws {
        var body: [String: any Sendable] = [:]
        body["name"] = title
        body["notes"] = notes
        body["exertion"] = exertion
        let data = try await admin.ask("PATCH", session.path, body: body)
        if admin.json { return Terminal.say(json: Array(data)) }
        Terminal.say("changed")
    }
}
