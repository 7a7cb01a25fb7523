import SensorModel
import Simulator
import Testing

@Suite struct ImpairedRunnerTests {
    private static func runner(seed: UInt64 = 1) -> SimulatedRunner {
        var settings = RunnerSettings()
        settings.motionRate = 20
        settings.samplesPerFrame = 10
        return SimulatedRunner(seed: seed, plan: .easy(minutes: 5), settings: settings)
    }

    private static func run(_ impairments: Impairments, seed: UInt64 = 1) -> [SimulatedFrame] {
        var runner = ImpairedRunner(runner(seed: seed), impairments, seed: seed)
        var frames: [SimulatedFrame] = []
        while let frame = runner.next() { frames.append(frame) }
        return frames
    }

    private static func arrival(_ frame: SimulatedFrame) -> Int64 {
        frame.frame.deviceTime.microseconds + frame.sendDelayMicroseconds
    }

    @Test func `Without impairments every frame comes, as soon as it can`() {
        let frames = Self.run(Impairments())
        var plain = Self.runner()
        var expected: Set<SimulatedFrame> = []
        while let frame = plain.next() { expected.insert(frame) }
        #expect(Set(frames) == expected)
        #expect(frames.count == expected.count)
        #expect(frames.map(Self.arrival) == frames.map(Self.arrival).sorted())
    }

    @Test func `Losses, doubles and late frames come in their shares`() {
        var impairments = Impairments()
        impairments.lossShare = 0.05
        impairments.duplicateShare = 0.1
        impairments.lateShare = 0.1
        let frames = Self.run(impairments)
        let numbers = frames.map(\.frame.sequence.rawValue)
        let distinct = Set(numbers)
        let sent = Double(numbers.max() ?? 0)
        #expect((0.02...0.09).contains(1 - Double(distinct.count) / sent))
        #expect((0.05...0.16).contains(Double(numbers.count - distinct.count) / sent))
        #expect(frames.map(Self.arrival) == frames.map(Self.arrival).sorted())
        #expect(numbers != numbers.sorted())
        #expect(frames == Self.run(impairments))
    }

    @Test func `Behind an outage everything comes at once`() {
        var impairments = Impairments()
        impairments.outages = [.init(startSeconds: 60, seconds: 30)]
        let start = RunnerSettings().startTime
        let seconds = Self.run(impairments).map {
            Double(Self.arrival($0) - start.microseconds) / 1e6
        }
        #expect(!seconds.contains { $0 >= 60 && $0 < 90 })
        #expect(seconds.filter { $0 == 90 }.count > 100)
    }

    @Test func `A skewed clock is ahead and runs ahead`() throws {
        var impairments = Impairments()
        impairments.clockOffsetSeconds = 42
        impairments.clockDriftPartsPerMillion = 100
        let frames = Self.run(impairments)
        let first = try #require(frames.first?.frame.deviceTime)
        let last = try #require(frames.last?.frame.deviceTime)
        let start = RunnerSettings().startTime
        #expect(first.seconds(since: start) == 42)
        #expect(abs(last.seconds(since: start) - (300 + 42 + 0.03)) < 0.001)
    }
}
