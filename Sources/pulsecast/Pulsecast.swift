import ArgumentParser
import Foundation
import Runtime

/// The command line, with one file per command. Each command sets its `commandName`: deriving
/// thirty names from types costs 3 ms at each start.
@main
struct Pulsecast: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pulsecast",
        abstract: "Takes live telemetry from watches and shows it to those who hold a link.",
        discussion: """
            Examples:
              pulsecast demo
              pulsecast serve
              pulsecast device add my-watch
              pulsecast share create --device my-watch
            """,
        version: Version.text,
        subcommands: [
            ServeCommand.self, DemoCommand.self, CheckConfigCommand.self, DoctorCommand.self,
            BackupCommand.self, RestoreCommand.self, ClusterCommand.self,
            AdminLinkCommand.self, DeviceCommand.self,
            ShareCommand.self, ReceiverCommand.self, DeliveryCommand.self,
            SessionCommand.self, TrainingCommand.self,
            PushCommand.self,
            ImportCommand.self, ReplayCommand.self,
            AnalyzeCommand.self, ExportCommand.self, ReportCommand.self, WatchCommand.self,
            LogCommand.self, SimulateCommand.self, TLSCommand.self,
        ])

    /// - Parameter words: The command line without the program's name.
    /// - Throws: ``CommandFailure`` for a word that is neither a command, where one belongs, nor an
    ///   option.
    private static func checkNames(_ words: some Sequence<String>) throws {
        var type: any ParsableCommand.Type = Pulsecast.self
        var path = "pulsecast"
        for word in words {
            let below = type.configuration.subcommands
            // Completion scripts call with a word of three dashes.
            guard !below.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
            if let next = below.first(where: { $0.configuration.commandName == word }) {
                (type, path) = (next, path + " " + word)
                continue
            }
            let names = below.compactMap { $0.configuration.commandName } + ["help"]
            let meant = Suggestion.nearest(to: word, in: names)
            throw CommandFailure(
                "there is no command \((path + " " + word).dropFirst("pulsecast ".count))"
                    + (meant.map { "; did you mean \($0)?" } ?? ".")
                    + " See \(path) --help for all.", status: ExitStatus.wrongUse)
        }
    }

    static func main() async {
        // A reader that exits early (`pulsecast log cat | head`) must not end the process with a
        // signal.
        signal(SIGPIPE, SIG_IGN)
        do {
            try checkNames(CommandLine.arguments.dropFirst())
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            Foundation.exit(ExitStatus.report(error))
        }
    }
}
