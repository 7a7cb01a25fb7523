import SensorModel
import Simulator
import Testing

@Suite struct SimulatedRunnerTests {
    private static func run(
        seed: UInt64, _ plan: RunPlan, _ settings: RunnerSettings = RunnerSettings()
    ) -> (frames: [SimulatedFrame], runner: SimulatedRunner) {
        var runner = SimulatedRunner(seed: seed, plan: plan, settings: settings)
        var frames: [SimulatedFrame] = []
        while let frame = runner.next() { frames.append(frame) }
        return (frames, runner)
    }

    @Test func `The same seed runs the same run`() {
        let plan = RunPlan.city(minutes: 3, seed: 4)
        let first = Self.run(seed: 1, plan)
        let second = Self.run(seed: 1, plan)
        #expect(first.frames == second.frames)
        #expect(first.runner.truth == second.runner.truth)
        #expect(first.frames != Self.run(seed: 2, plan).frames)
    }

    @Test func `Frames are numbered from 1 and ordered by device time`() {
        let frames = Self.run(seed: 3, .city(minutes: 2, seed: 1)).frames
        #expect(frames.map(\.frame.sequence.rawValue) == (1...UInt32(frames.count)).map { $0 })
        for (earlier, later) in zip(frames, frames.dropFirst()) {
            #expect(earlier.frame.deviceTime <= later.frame.deviceTime)
        }
        #expect(frames.allSatisfy { $0.sendDelayMicroseconds >= 0 })
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `Speed adds up to distance and cadence to steps`(seed: UInt64) {
        let truth = Self.run(seed: seed, .city(minutes: 10, seed: seed)).runner.truth
        var distance = 0.0
        var steps = 0.0
        for (earlier, later) in zip(truth, truth.dropFirst()) {
            distance += (earlier.speedMetersPerSecond + later.speedMetersPerSecond) / 2
            steps += (earlier.cadence + later.cadence) / 2 / 60
        }
        let last = truth[truth.count - 1]
        #expect(abs(distance - last.distanceMeters) < 0.02 * last.distanceMeters)
        #expect(abs(steps - Double(last.steps)) < 0.02 * Double(last.steps) + 2)
        #expect(last.distanceMeters > 900)
    }

    @Test func `A stop of the plan is a pause of the truth`() throws {
        let plan = RunPlan(legs: [
            .init(seconds: 60, speed: 3), .init(seconds: 30, speed: 0),
            .init(seconds: 60, speed: 3),
        ])
        let runner = Self.run(seed: 5, plan).runner
        // The first pause is the time before the first step.
        try #require(runner.pauses.count == 2)
        let pause = runner.pauses[1]
        let end = try #require(pause.end)
        #expect(abs(pause.start.seconds(since: runner.settings.startTime) - 61.5) <= 2)
        #expect(abs(end.seconds(since: runner.settings.startTime) - 91) <= 2)
        #expect(!pause.byHand)
    }

    @Test func `A pause by hand is sent as a control`() {
        let plan = RunPlan(legs: [
            .init(seconds: 20, speed: 3), .init(seconds: 20, speed: 0, pausedByHand: true),
            .init(seconds: 20, speed: 3),
        ])
        let controls = Self.run(seed: 5, plan).frames.compactMap { frame -> ControlAction? in
            guard case .control(let action) = frame.frame.payload else { return nil }
            return action
        }
        #expect(controls == [.start, .pause, .resume, .stop])
    }

    @Test func `The heart follows the legs`() throws {
        let plan = RunPlan(legs: [
            .init(seconds: 60, speed: 0), .init(seconds: 300, speed: 3.5),
            .init(seconds: 240, speed: 0),
        ])
        let truth = Self.run(seed: 6, plan).runner.truth
        let rest = truth[55].heartRate
        let effort = truth[355].heartRate
        let after = truth[595].heartRate
        #expect(rest < 80)
        #expect(effort > 145)
        #expect(after < effort - 40)
        #expect(truth.allSatisfy { (35...220).contains($0.heartRate) })
    }

    @Test(arguments: [20, 50, 100])
    func `Motion comes at its rate and on the wire's grid`(rate: Int) {
        var settings = RunnerSettings()
        settings.motionRate = rate
        settings.samplesPerFrame = rate == 20 ? 1 : rate / 2
        let frames = Self.run(seed: 7, .easy(minutes: 1), settings).frames
        var count = 0
        for frame in frames {
            guard case .motion(let batch) = frame.frame.payload else { continue }
            count += batch.samples.count
            for sample in batch.samples {
                let acceleration = sample.acceleration * 1024
                #expect(acceleration == acceleration.rounded(.toNearestOrEven))
            }
        }
        #expect(count == rate * 60)
    }

    @Test func `A wrist at rest feels one g, and steps when running`() {
        let plan = RunPlan(legs: [.init(seconds: 30, speed: 0), .init(seconds: 30, speed: 3)])
        let frames = Self.run(seed: 8, plan).frames
        var rest: [Float] = []
        var run: [Float] = []
        for frame in frames {
            guard case .motion(let batch) = frame.frame.payload else { continue }
            let second = frame.frame.deviceTime.seconds(
                since: RunnerSettings().startTime)
            for sample in batch.samples {
                let length = (sample.acceleration * sample.acceleration).sum().squareRoot()
                if second < 29 { rest.append(length) } else if second > 40 { run.append(length) }
            }
        }
        #expect(abs(rest.reduce(0, +) / Float(rest.count) - 1) < 0.02)
        let swing = (run.max() ?? 0) - (run.min() ?? 0)
        #expect(swing > 1)
    }

    @Test func `A run without end goes on and keeps only the last truth`() {
        var settings = RunnerSettings()
        settings.keepsTruth = false
        settings.motionRate = 0
        var runner = SimulatedRunner(seed: 9, plan: .demo, settings: settings)
        for _ in 0..<10_000 { #expect(runner.next() != nil) }
        #expect(runner.truth.count == 1)
        #expect(runner.pauses.count <= 1)
    }
}
