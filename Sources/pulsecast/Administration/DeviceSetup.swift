import ArgumentParser
import Foundation
import PushFormats

/// Prints the settings of a phone's application as a link and a QR code.
struct DeviceSetup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Prints the link and QR code that set up a phone: an application or its browser.",
        discussion: """
            A device that is not there is added. One that never sent anything gets a new token; \
            one that did keeps its own, which has to be given, unless --rotate makes a new one. \
            Sources/Documentation/Phones.md says what to type into each application.

            Examples:
              pulsecast device setup pocket --app browser
              pulsecast device setup phone --app overland
            """)

    @OptionGroup var admin: AdminOptions
    @Argument(help: .value("device", "The device."), completion: .devices) var name: String
    @Option(
        help: .value(
            "name",
            """
            browser (no application), sensor-logger, owntracks, overland, traccar, osmand, \
            gpslogger, hr-push, runnerup, hds or hr.
            """), completion: .apps)
    var app: String
    @Option(
        help: .value("path", "A file with the device's token; - reads it from standard input."),
        completion: .file())
    var tokenFile: String?
    @Flag(help: "Make a new token; the old one is refused from then on.")
    var rotate = false
    @Option(help: .value("address", "The daemon's address as the phone reaches it."))
    var url: String?

    private struct Setup: Decodable {
        let app: String
        let link: String
        let steps: [String]
    }

    func run() async throws {
        var body: [String: any Sendable] = ["app": app, "rotate": rotate]
        body["url"] = url
        body["token"] = try tokenFile.map(Destination.token(inFile:))
        let data = try await admin.ask("POST", "/devices/\(segment(name))/setup", body: body)
        if admin.json { return Terminal.say(json: Array(data)) }
        let setup = try JSONDecoder().decode(Setup.self, from: data)
        if let code = QRCode(setup.link) { Terminal.say(code.terminalText) }
        Terminal.say(setup.link)
        for (index, step) in setup.steps.enumerated() { Terminal.say("\(index + 1). \(step)") }
        Terminal.complain(
            "The link holds the token of \(name), and is not shown again: whoever has it can send"
                + " as \(name).")
        if setup.link.contains("127.0.0.1") || setup.link.contains("localhost") {
            Terminal.complain(
                "A phone cannot reach this address: set http.public_url, or give --url.")
        } else if setup.app == PhoneApplication.browser.name, setup.link.hasPrefix("http:") {
            Terminal.complain(
                "Browsers measure on pages with https only: set http.tls or a proxy with a"
                    + " certificate, and http.public_url to its https address.")
        }
    }
}
