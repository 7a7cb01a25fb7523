import ArgumentParser
import Foundation
import Runtime

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Writes a recorded session as one HTML file, to read without a network.",
        discussion: """
            Summary, charts, splits, zones, the route and the training load. It is made for the \
            owner: privacy zones hide nothing in it.

            Example:
              pulsecast report latest --output run.html
            """)

    @OptionGroup var place: LogPlace
    @Argument(
        help: .value("session", "The session's ID, the first digits of it, or latest."),
        completion: .sessions)
    var session: String
    @Option(
        help: .value("path", "The file; standard output without it."), completion: .file())
    var output: String?
    @Option(help: .value("text", "Its heading.")) var title = "A run"

    func run() async throws {
        let (id, reader) = try place.session(named: session)
        let html = try SessionReporter(reader: reader).html(of: id, title: title)
        guard let output else { return Terminal.write(html, to: .standardOutput) }
        let file = try ExportCommand.create(output)
        Terminal.write(html, to: file)
        try file.synchronize()
        if place.json {
            try Terminal.say(encoded: Written(session: "\(id)", output: output, bytes: html.count))
        } else {
            Terminal.say("\(output): \(html.count / 1024) KiB, open it in a browser")
        }
    }

    private struct Written: Encodable {
        let session: String
        let output: String
        let bytes: Int
    }
}
