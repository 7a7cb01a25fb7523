import ArgumentParser
import Client
import Foundation
import SensorModel
import Simulator
import Synchronization

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Makes seeded runners, with known truth: sends them to a daemon, or into a file.",
        discussion: """
            A file is of the format that its name ends with: fit, gpx, tcx, csv, ndjson or mcap. \
            Its run ends now; the same seed and minutes give the same run.

            Examples:
              pulsecast simulate --token-file token --devices 5
              pulsecast simulate --output run.fit --minutes 20 --truth truth.csv
              pulsecast simulate --token-file token --loss 0.02 --outage 60:30
            """)

    @OptionGroup var server: DeviceServer
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
    @Flag(help: "Each runner has a foot pod, too.") var footPod = false
    @Option(
        help: .value("factor", "Times as fast as real time, or max."), completion: .speeds)
    var speed = "1"
    @Option(
        help: .value("path", "Write the true values of the run, a row a second, as CSV."),
        completion: .file(extensions: ["csv"]))
    var truth: String?
    @OptionGroup(title: "Connection") var connection: ImpairmentOptions

    func validate() throws {
        switch (tokenFile, output) {
        case (nil, nil):
            throw ValidationError(
                "name a daemon's device with --token-file, or a file with --output")
        case (_?, _?):
            throw ValidationError("--token-file sends, --output writes a file: choose one")
        case (nil, _?) where devices != 1:
            throw ValidationError("a file holds one runner: leave --devices out")
        case (nil, _?) where connection.areGiven:
            throw ValidationError("a file has no connection: impairments are for --token-file")
        default: break
        }
        guard truth == nil || devices == 1 else {
            throw ValidationError("--truth is of one runner: leave --devices out")
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
        let target = SimulatedRun.Target(
            address: try server.address, token: try Destination.token(inFile: tokenFile ?? "-"),
            tls: try server.trust.tls, speed: pace)
        let line = ProgressLine("simulating", total: 1000 * devices)
        let done = RunnersProgress(devices)
        let impairments = try connection.impairments
        try await withThrowingTaskGroup(of: [RunnerTruth].self) { group in
            for index in 0..<devices {
                let run = SimulatedRun(
                    seed: seed &+ UInt64(index), minutes: minutes, hasFootPod: footPod,
                    impairments: impairments)
                group.addTask {
                    try await run.play(to: target) { share in
                        line.update(done: done.note(Int(1000 * share), of: index))
                    }
                }
            }
            for try await values in group {
                if let truth { try TruthSeries.write(values, to: truth) }
            }
        }
        line.finish()
        Terminal.say("\(devices) runner(s) finished")
    }

    private struct Written: Encodable {
        let output: String
        let bytes: Int
    }

    private func write(to output: String) throws {
        let recording = try SimulatedRecording(path: output)
        let run = SimulatedRun(seed: seed, minutes: minutes, hasFootPod: footPod)
        let (frames, truth) = run.endingNow()
        let bytes = try recording.write(frames)
        if let path = self.truth { try TruthSeries.write(truth, to: path) }
        if json { return try Terminal.say(encoded: Written(output: output, bytes: bytes)) }
        Terminal.say("\(output): \(bytes / 1024) KiB, play it with pulsecast push \(output)")
    }
}

/// Progress of all simulated runners.
private final class RunnersProgress: Sendable {
    private let parts: Mutex<[Int]>

    init(_ count: Int) {
        parts = Mutex([Int](repeating: 0, count: count))
    }

    /// - Returns: The sum over all runners.
    func note(_ part: Int, of index: Int) -> Int {
        parts.withLock { parts in
            parts[index] = part
            return parts.reduce(0, +)
        }
    }
}
