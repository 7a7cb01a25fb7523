import ArgumentParser
import Client
import Daemon
import Foundation
import PushFormats
import Recordings
import Runtime
import SensorModel
import Transport

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Runs a daemon on an empty state folder with one simulated runner.",
        discussion: """
            Example:
              pulsecast demo --play run.fit --speed 10
            """)

    @Option(
        help: .value("path", "Play this recording instead of a simulated runner."),
        completion: .recordings)
    var play: String?
    @Option(
        help: .value("factor", "Times as fast as recorded, or max."), completion: .speeds)
    var speed = "1"
    @Option(help: .value("port", "HTTP port; 0: any free.")) var httpPort = 7480
    @Option(help: .value("count", "Stop after so many seconds; else when told to."))
    var seconds: Double?

    func run() async throws {
        let pace = try PushCommand.pace(speed)
        let recording = try play.map(RecordingFile.read)
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "pulsecast-demo-\(ProcessInfo.processInfo.processIdentifier)").path
        defer {
            // The demo's own folder: a leftover in the temporary folder is harmless.
            try? FileManager.default.removeItem(atPath: folder)
        }
        let (daemon, loaded) = try await start(in: folder)
        let demo = try daemon.makeDemoRunner()
        Terminal.say("Watch the runner at \(demo.url)")
        Terminal.complain("Stop with Ctrl-C. Everything is in \(folder) and goes with the demo.")
        let address = ServerAddress(scheme: .tcp, host: "127.0.0.1", port: demo.devicePort)
        let runner = Task {
            if let recording {
                var generator = SystemRandomNumberGenerator()
                try await DeviceSender(
                    address: address, token: demo.token,
                    session: SessionID(using: &generator), speed: pace, isRecorded: true
                ).send(recording.frames) { _ in }
            } else {
                try await SimulatedRun(seed: 7, minutes: 180).play(
                    to: address, token: demo.token, speed: pace, isRecorded: false)
            }
        }
        defer { runner.cancel() }
        if let seconds {
            try await Task.sleep(for: .seconds(seconds))
            await daemon.stop()
        } else {
            let signals = await DaemonSignals()
            try await DaemonRun(daemon, signals: signals, loaded: loaded) { loaded }
                .untilStopped()
        }
    }

    /// Starts on the usual port if it is free, otherwise on any.
    private func start(
        in folder: String
    ) async throws -> (PulsecastDaemon, LoadedConfiguration) {
        do {
            return try await start(in: folder, httpPort: httpPort)
        } catch is TransportError {
            return try await start(in: folder, httpPort: 0)
        }
    }

    private func start(
        in folder: String, httpPort: Int
    ) async throws -> (PulsecastDaemon, LoadedConfiguration) {
        var loader = ConfigurationLoader()
        loader.add(flag: "demo", key: "state.directory", value: folder)
        loader.add(flag: "demo", key: "device.port", value: "0")
        loader.add(flag: "demo", key: "operations.port", value: "0")
        loader.add(flag: "demo", key: "http.port", value: String(httpPort))
        loader.add(flag: "demo", key: "logging.level", value: "warning")
        let loaded = try LoadedConfiguration(loader)
        let daemon = try PulsecastDaemon(
            configuration: loaded.configuration, environment: [:],
            logger: JournalLogHandler.logger(level: loaded.configuration.logLevel))
        do {
            _ = try await daemon.start()
        } catch {
            await daemon.stop()
            throw error
        }
        return (daemon, loaded)
    }
}
