import ArgumentParser
import Runtime

struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Says what is wrong with a configuration, file and key.",
        discussion: """
            Examples:
              pulsecast check-config /etc/pulsecast/pulsecast.yaml
              pulsecast check-config --example
            """)

    @Argument(
        help: .value("path", "The file; without it the one that serve would read."),
        completion: .file(extensions: ["yaml", "yml"]))
    var file: String?

    @Flag(help: "Print every key with its effective value and where it came from.")
    var print = false

    @Flag(help: "Print the whole example file with every key, unit and default.")
    var example = false

    func run() throws {
        if example {
            Terminal.say(ConfigurationExample.text)
            return
        }
        var loader = try ConfigurationFiles.loader(file: file)
        let (_, effective) = loader.load()
        for error in loader.errors { Terminal.complain(error.description) }
        guard loader.errors.isEmpty else {
            throw CommandFailure(
                "\(loader.errors.count) thing(s) to mend before the daemon can start",
                status: ExitStatus.wrongUse)
        }
        guard print else { return Terminal.say("the configuration is sound") }
        var table = TextTable(header: ["key", "value", "from"])
        for value in effective {
            table.add([value.key, value.text.isEmpty ? "\"\"" : value.text, "\(value.origin)"])
        }
        Terminal.say(table.text)
    }
}
