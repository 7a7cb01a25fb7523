import Client
import Foundation
import SensorModel
import Simulator

/// One seeded runner, with a connection that may be bad.
struct SimulatedRun: Sendable {
    /// Destination of a run, and the speed at which it is sent.
    struct Target: Sendable {
        let address: ServerAddress
        let token: String
        var tls = ClientTLS()
        /// Multiple of real time; `nil`: as fast as the daemon accepts.
        let speed: Double?
    }

    let seed: UInt64
    let minutes: Double
    var hasFootPod = false
    var impairments = Impairments()

    /// The frames of a run that ends now, so that current lists and training contain it, and its
    /// true values.
    func endingNow() -> (frames: [Frame], truth: [RunnerTruth]) {
        let plan = RunPlan.city(minutes: minutes, seed: seed)
        // The start is a whole second: some formats store no fractions.
        let start = (Date().timeIntervalSince1970 - plan.seconds).rounded(.down)
        let run = arriving(from: start)
        return (run.frames.map(\.frame), run.truth)
    }

    /// Plays the run from now on.
    ///
    /// - Parameters:
    ///   - target: Daemon and token.
    ///   - progress: Receives the acknowledged share, 0…1.
    /// - Returns: The true values.
    /// - Throws: ``ClientError``
    func play(
        to target: Target, progress: @escaping @Sendable (Double) -> Void
    ) async throws -> [RunnerTruth] {
        let run = arriving(from: Date().timeIntervalSince1970)
        var generator = SystemRandomNumberGenerator()
        let last = Double(run.frames.compactMap(\.frame.sequence.rawValue).max() ?? 1)
        try await DeviceSender(
            address: target.address, token: target.token, session: SessionID(using: &generator),
            speed: target.speed, isRecorded: target.speed != 1, tls: target.tls,
            tell: { Terminal.complain($0) }
        ).send(run.frames) { progress(Double($0) / last) }
        return run.truth
    }

    /// All frames in the order of their arrival.
    private func arriving(
        from start: Double
    ) -> (frames: [DeviceSender.TimedFrame], truth: [RunnerTruth]) {
        var settings = RunnerSettings()
        settings.startTime = Timestamp(secondsSince1970: start) ?? settings.startTime
        if hasFootPod { settings.footPod = RunnerSettings.FootPod() }
        var runner = ImpairedRunner(
            SimulatedRunner(
                seed: seed, plan: .city(minutes: minutes, seed: seed), settings: settings),
            impairments, seed: seed)
        var frames: [DeviceSender.TimedFrame] = []
        while let next = runner.next() {
            let wait = Double(next.sendDelayMicroseconds) / 1_000_000
            let time = next.frame.deviceTime.seconds(since: settings.startTime) + wait
            frames.append(DeviceSender.TimedFrame(frame: next.frame, dueSeconds: max(0, time)))
        }
        return (frames, runner.runner.truth)
    }
}
