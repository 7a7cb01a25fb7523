import ArgumentParser
import Foundation
import SensorModel
import Simulator
import Transport

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Sends seeded runners, with known truth, to a daemon.")

    @OptionGroup var destination: Destination
    @Option(help: "How many runners, all with the one token.") var devices = 1
    @Option(help: "The same seed gives the same runners.") var seed: UInt64 = 1
    @Option(help: "Minutes of running.") var minutes = 30.0
    @Option(help: "Times as fast as life, or max.") var speed = "1"

    func run() async throws {
        guard (1...10_000).contains(devices), (0.1...1440).contains(minutes) else {
            throw CommandFailure(
                "1 to 10000 devices and 0.1 to 1440 minutes can be simulated",
                status: ExitStatus.wrongUse)
        }
        let pace = try PushCommand.pace(speed)
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
}

/// One seeded runner from now on.
struct SimulatedRun: Sendable {
    let seed: UInt64
    let minutes: Double

    func play(
        to address: ServerAddress, token: String, speed: Double?, isRecorded: Bool
    ) async throws {
        var settings = RunnerSettings()
        settings.startTime =
            Timestamp(secondsSince1970: Date().timeIntervalSince1970) ?? settings.startTime
        var runner = SimulatedRunner(
            seed: seed, plan: .city(minutes: minutes, seed: seed), settings: settings)
        var frames: [Frame] = []
        while let next = runner.next() { frames.append(next.frame) }
        var generator = SystemRandomNumberGenerator()
        try await DeviceSender(
            address: address, token: token, session: SessionID(using: &generator),
            speed: speed, isRecorded: isRecorded
        ).send(frames) { _ in }
    }
}
