import ArgumentParser

/// Changes the wearer's profile; omitted fields stay unchanged.
struct DeviceSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Sets what the metrics need to know of a device and its wearer.",
        discussion: """
            Without options the profile is printed. \(ProfileOptions.zonesHelp)

            Example:
              pulsecast device set my-watch --max-heart-rate 188 --placement wrist
            """)

    @OptionGroup var admin: AdminOptions
    @Argument(help: .value("device", "The device."), completion: .devices) var name: String
    @OptionGroup var profile: ProfileOptions

    func run() async throws {
        let body = try profile.given
        let method: AdminOptions.Method = body.isEmpty ? "GET" : "PATCH"
        let data = try await admin.ask(
            method, "/devices/\(segment(name))/profile", body: body.isEmpty ? nil : body)
        Terminal.say(json: Array(data))
    }
}
