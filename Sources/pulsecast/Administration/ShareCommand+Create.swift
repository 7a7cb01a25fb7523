import ArgumentParser

extension ShareCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Makes a link to watch a device, and prints it.",
            discussion: """
                Example:
                  pulsecast share create --device my-watch --expires 24h
                """)
        @OptionGroup var admin: AdminOptions
        @Option(help: .value("name", "The device to watch."), completion: .devices)
        var device: String
        @Option(help: .value("text", "What commands call the share; without it a name is made."))
        var name: String?
        @Option(
            help: .value("duration", "How long it is valid, as 24h or 7d; else until revoked."))
        var expires: String?
        @Option(
            help: .value("list", "Any of heartRate, metrics, location, separated by commas."),
            completion: .scopes)
        var scope: String?
        @Option(help: .value("duration", "How long everything is held back, as 5m."))
        var delay: String?
        @Option(help: .value("count", "Viewers at one time.")) var maxViewers: Int?
        @Option(help: .value("text", "What viewers read as the runner's name."))
        var label: String?
        @Option(
            name: .customLong("public"),
            help: .value(
                "name", "Everybody finds it at /@NAME, which shows the run that goes on alone."))
        var publicName: String?

        func run() async throws {
            var body: [String: any Sendable] = ["device": device]
            body["name"] = name
            body["expires"] = expires
            body["scope"] = scope
            body["delay"] = delay
            body["maxViewers"] = maxViewers
            body["label"] = label
            body["public"] = publicName
            try ShareCommand.tell(await admin.ask("POST", "/shares", body: body), admin)
        }
    }
}
