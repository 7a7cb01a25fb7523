import ArgumentParser
import Daemon
import Foundation
import Runtime

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Runs the daemon until it is told to stop.",
        discussion: """
            Example:
              pulsecast serve --config /etc/pulsecast/pulsecast.yaml
            """)

    @OptionGroup var options: ServeOptions
    @Flag(
        help: """
            Lead the cluster at once with this node's files; the other nodes take them. For the \
            day on which no node can lead.
            """) var leadCluster = false

    func run() async throws {
        let loaded = try options.loaded()
        let signals = await DaemonSignals()
        let daemon = try await options.start(loaded.configuration, mustLead: leadCluster)
        guard let daemon else { return }
        let options = options
        do {
            try await DaemonRun(daemon, signals: signals, loaded: loaded) { try options.loaded() }
                .untilStopped()
        } catch let error as ClusterStartError {
            throw CommandFailure("\(error)", status: ExitStatus.notLeading)
        }
    }
}

/// Options common to `serve` and `demo`.
struct ServeOptions: ParsableArguments {
    @Option(help: .value("path", "The configuration file."), completion: .file())
    var config: String?
    @Option(
        name: .customLong("state"), help: .value("folder", "The state folder."),
        completion: .directory)
    var stateFolder: String?
    @Option(help: .value("port", "TCP port of the devices; 0: any free."))
    var devicePort: Int?
    @Option(help: .value("port", "HTTP port; 0: any free.")) var httpPort: Int?
    @Option(help: .value("port", "Port of /metrics; 0: any free."))
    var operationsPort: Int?
    @Flag(help: "Print the addresses in use as one JSON line.") var printAddresses = false
    @Flag(help: "Serve WebSocket /echo for conformance tests.") var echo = false

    /// - Throws: ``CommandFailure`` for an invalid configuration.
    func loaded() throws -> LoadedConfiguration {
        do {
            var loader = try ConfigurationFiles.loader(file: config)
            addFlags(to: &loader)
            return try LoadedConfiguration(loader)
        } catch {
            throw CommandFailure("\(error)", status: ExitStatus.wrongUse)
        }
    }

    /// - Returns: A started daemon; `nil`: a signal ended the wait for its disk.
    /// - Throws: ``CommandFailure`` if it cannot start.
    func start(
        _ configuration: Configuration, mustLead: Bool = false
    ) async throws -> PulsecastDaemon? {
        do {
            return try await DaemonStart(
                configuration, environment: ProcessInfo.processInfo.environment,
                mustLead: mustLead,
                logger: JournalLogHandler.logger(level: configuration.logLevel)
            ).run { addresses, daemon in
                if let daemon {
                    let scheme = configuration.httpListener.tls ? "https" : "http"
                    tellFirstSteps(addresses, scheme: scheme, isFresh: !daemon.hasDevices)
                    if !daemon.hasDevices { tellAdminLink(of: daemon) }
                }
                if printAddresses { try Terminal.say(encoded: addresses) }
            }
        } catch let error as ClusterStartError {
            throw CommandFailure("\(error)", status: ExitStatus.notLeading)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    private func addFlags(to loader: inout ConfigurationLoader) {
        let numbers = [
            ("--device-port", "device.port", devicePort), ("--http-port", "http.port", httpPort),
            ("--operations-port", "operations.port", operationsPort),
        ]
        for (flag, key, value) in numbers {
            if let value { loader.add(flag: flag, key: key, value: String(value)) }
        }
        if let stateFolder {
            loader.add(flag: "--state", key: "state.directory", value: stateFolder)
        }
        if echo { loader.add(flag: "--echo", key: "http.echo", value: "true") }
    }

    /// Prints a link, which is secret: to a person at a terminal, never into a file or a journal.
    private func tellAdminLink(of daemon: PulsecastDaemon) {
        guard Terminal.isInteractive, !Terminal.isJournal, let link = daemon.makeAdminLink() else {
            return
        }
        Terminal.complain(
            """
            Or open this on this machine, within 10 minutes. It works once:
            \(link)
            """)
    }

    /// - Parameters:
    ///   - addresses: Addresses in use.
    ///   - scheme: Scheme of the viewers' addresses.
    ///   - isFresh: Whether no device has been added yet.
    func tellFirstSteps(_ addresses: [String: String], scheme: String, isFresh: Bool) {
        // The person who typed the command does not read the journal.
        guard Terminal.isInteractive || (isFresh && !Terminal.isJournal) else { return }
        let folder = stateFolder.map { " --state '\($0)'" } ?? ""
        Terminal.complain(
            """
            Pulsecast listens: devices on \(addresses["device"] ?? "?"), viewers on \
            \(scheme)://\(addresses["http"] ?? "?").
            Add the first device:  pulsecast device add my-watch\(folder)
            Then a link to it:     pulsecast share create --device my-watch\(folder)
            """)
    }
}
