import ArgumentParser
import Daemon
import Foundation

struct TLSCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tls", abstract: "Makes a certificate for a first start with TLS.",
        subcommands: [SelfSigned.self])

    struct SelfSigned: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "self-signed",
            abstract: "Writes a certificate that vouches for itself, and its key.",
            discussion: """
                Nobody trusts it unasked: give certificate.pem to the devices, or let viewers \
                accept it. For a public name take a certificate of an authority instead.

                Example:
                  pulsecast tls self-signed --name watch.example.org --folder tls
                """)
        @Option(help: .value("host", "A host name or address it is valid for; any number of them."))
        var name: [String] = []
        @Option(help: .value("count", "How many days it is valid, 1 to 3650.")) var days = 365
        @Option(help: .value("path", "Where the two files go."), completion: .directory)
        var folder = "tls"

        func validate() throws {
            guard (1...3650).contains(days) else {
                throw ValidationError("--days \(days) is not within 1 and 3650")
            }
        }

        func run() throws {
            let standard = ["localhost", ProcessInfo.processInfo.hostName, "127.0.0.1", "::1"]
            let files = try SelfSignedFiles(
                in: folder, names: name.isEmpty ? standard : name, days: days)
            let current = FileManager.default.currentDirectoryPath
            func whole(_ path: String) -> String {
                path.hasPrefix("/") ? path : current + "/" + path
            }
            Terminal.say(
                """
                tls:
                  certificate: \(whole(files.certificatePath))
                  private_key: \(whole(files.keyPath))
                device:
                  tls: true
                http:
                  tls: true
                """)
            Terminal.complain("Put these lines into the configuration file and start anew.")
        }
    }
}
