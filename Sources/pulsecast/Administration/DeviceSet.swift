import ArgumentParser

/// Changes the wearer's profile; omitted fields stay unchanged.
struct DeviceSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Sets what the metrics need to know of a device and its wearer.",
        discussion: ProfileOptions.zonesHelp)

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The device.") var name: String
    @OptionGroup var profile: ProfileOptions

    func run() async throws {
        let body = try profile.given
        let method: AdminOptions.Method = body.isEmpty ? "GET" : "PATCH"
        let data = try await admin.ask(
            method, "/devices/\(segment(name))/profile", body: body.isEmpty ? nil : body)
        Terminal.say(json: Array(data))
    }
}
