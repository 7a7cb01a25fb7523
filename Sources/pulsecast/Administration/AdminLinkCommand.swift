import ArgumentParser
import Foundation
import Runtime

/// Prints a link that opens the administration page in a browser.
struct AdminLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin-link",
        abstract: "Prints a link, good once, to the page for devices, shares, storage and health.",
        discussion: """
            The link opens on this machine, or through a proxy that http.trusted_proxies names. \
            To open it elsewhere without such a proxy, forward the HTTP port with ssh -L.

            Examples:
              pulsecast admin-link
              pulsecast admin-link --expires 8h
              pulsecast admin-link --end
            """)

    @OptionGroup var admin: AdminOptions
    @Option(help: .value("duration", "How long the page stays open: 1m to 24h."))
    var expires = "1h"
    @Flag(help: "Make no link: end all links and open pages.")
    var end = false

    private struct Link: Decodable {
        let url: String
        let linkSeconds: Int
    }

    func run() async throws {
        if end {
            _ = try await admin.ask("DELETE", "/admin-links")
            return Terminal.say("all links to the administration page and its sessions are ended")
        }
        let data = try await admin.ask("POST", "/admin-links", body: ["expires": expires])
        if admin.json { return Terminal.say(json: Array(data)) }
        let link = try JSONDecoder().decode(Link.self, from: data)
        Terminal.say(link.url)
        let isLocal = ConfigurationLoader.isLoopback(URL(string: link.url)?.host ?? "")
        let place = isLocal ? " on this machine" : ""
        Terminal.complain(
            "Open it\(place) within \(link.linkSeconds / 60) minutes. It works once, and gives"
                + " control of this daemon for \(expires).")
    }
}
