import ArgumentParser
import Daemon
import Foundation

/// The command line: one file a command, this one to find them. Each says its `commandName`: to make
/// one out of the name of a type costs each start of each command 3 ms, with thirty types.
@main
struct Pulsecast: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pulsecast",
        abstract: "Takes live telemetry from watches and shows it to those who hold a link.",
        discussion: """
            Start with: pulsecast demo
            Run it:     pulsecast serve
            Add:        pulsecast device add my-watch, then pulsecast share create --device my-watch
            """,
        version: Version.text,
        subcommands: [
            ServeCommand.self, DemoCommand.self, CheckConfigCommand.self, DoctorCommand.self,
            BackupCommand.self, RestoreCommand.self,
            DeviceCommand.self,
            ShareCommand.self, SessionCommand.self, TrainingCommand.self, PushCommand.self,
            ReplayCommand.self,
            AnalyzeCommand.self, ExportCommand.self, ReportCommand.self, WatchCommand.self,
            LogCommand.self, SimulateCommand.self, TLSCommand.self,
        ])

    static func main() async {
        // A reader that went away (`pulsecast log cat | head`) is no reason to die noisily.
        signal(SIGPIPE, SIG_IGN)
        do {
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
