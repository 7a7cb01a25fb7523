import ArgumentParser
import Client
import Foundation
import SensorModel
import Simulator

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Makes seeded runners, with known truth: sends them to a daemon, or into a file.",
        discussion: """
            A file is of the format that its name ends with: fit, gpx, tcx, csv, ndjson or mcap. \
            Its run ends now; the same seed and minutes give the same run.

            Examples:
              pulsecast simulate --token-file token --devices 5
              pulsecast simulate --output run.fit --minutes 20
            """)

    @Option(help: .value("address", "tcp://host:port, or ws://host:port/v1/device."))
    var to = "tcp://127.0.0.1:7420"
    @Option(
        help: .value("path", "A file with the device's token; - reads it from standard input."),
        completion: .file())
    var tokenFile: String?
    @Option(
        help: .value("path", "Write one run into this new file instead, as run.fit."),
        completion: .file())
    var output: String?
    @Flag(help: "Print facts as JSON.") var json = false
    @Option(help: .value("count", "How many runners, all with the one token.")) var devices = 1
    @Option(help: .value("number", "The same seed gives the same runners."))
    var seed: UInt64 = 1
    @Option(help: .value("count", "Minutes of running.")) var minutes = 30.0
    @Option(
        help: .value("factor", "Times as fast as real time, or max."), completion: .speeds)
    var speed = "1"

    func validate() throws {
        switch (tokenFile, output) {
        case (nil, nil):
            throw ValidationError(
                "name a daemon's device with --token-file, or a file with --output")
        case (_?, _?):
            throw ValidationError("--token-file sends, --output writes a file: choose one")
        case (nil, _?) where devices != 1:
            throw ValidationError("a file holds one runner: leave --devices out")
        default: break
        }
    }

    func run() async throws {
        guard (1...10_000).contains(devices), (0.1...1440).contains(minutes) else {
            throw CommandFailure(
                "1 to 10000 devices and 0.1 to 1440 minutes can be simulated",
                status: ExitStatus.wrongUse)
        }
        if let output { return try write(to: output) }
        let pace = try PushCommand.pace(speed)
        var destination = Destination()
        destination.to = to
        destination.tokenFile = tokenFile ?? "-"
        let address = try destination.address
        let token = try destination.token
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<devices {
                let run = SimulatedRun(seed: seed &+ UInt64(index), minutes: minutes)
                group.addTask {
                    try await run.play(
                        to: address, token: token, speed: pace, isRecorded: pace != 1)
                }
            }
            try await group.waitForAll()
        }
        Terminal.say("\(devices) runner(s) finished")
    }

    private struct Written: Encodable {
        let output: String
        let bytes: Int
    }

    private func write(to output: String) throws {
        let recording = try SimulatedRecording(path: output)
        let run = SimulatedRun(seed: seed, minutes: minutes)
        let bytes = try recording.write(run.framesEndingNow())
        if json { return try Terminal.say(encoded: Written(output: output, bytes: bytes)) }
        Terminal.say("\(output): \(bytes / 1024) KiB, play it with pulsecast push \(output)")
    }
}

/// One seeded runner.
struct SimulatedRun: Sendable {
    let seed: UInt64
    let minutes: Double

    /// The frames of a run that ends now, so that current lists and training contain it.
    func framesEndingNow() -> [Frame] {
        var settings = RunnerSettings()
        let plan = RunPlan.city(minutes: minutes, seed: seed)
        // The start is a whole second: some formats store no fractions.
        let start = (Date().timeIntervalSince1970 - plan.seconds).rounded(.down)
        settings.startTime = Timestamp(secondsSince1970: start) ?? settings.startTime
        return frames(settings: settings)
    }

    /// All frames of the run.
    func frames(settings: RunnerSettings) -> [Frame] {
        var runner = SimulatedRunner(
            seed: seed, plan: .city(minutes: minutes, seed: seed), settings: settings)
        var frames: [Frame] = []
        while let next = runner.next() { frames.append(next.frame) }
        return frames
    }

    /// Plays the run from now on.
    func play(
        to address: ServerAddress, token: String, speed: Double?, isRecorded: Bool
    ) async throws {
        var settings = RunnerSettings()
        settings.startTime =
            Timestamp(secondsSince1970: Date().timeIntervalSince1970) ?? settings.startTime
        var generator = SystemRandomNumberGenerator()
        try await DeviceSender(
            address: address, token: token, session: SessionID(using: &generator),
            speed: speed, isRecorded: isRecorded
        ).send(frames(settings: settings)) { _ in }
    }
}
