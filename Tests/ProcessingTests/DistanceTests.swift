import SensorModel
import Simulator
import Testing

@testable import Processing

@Suite struct FixGateTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    private func place(
        _ meters: Double, accuracy: Double? = 4, speed: Double? = nil
    ) throws -> Location {
        try Location(
            latitude: 48 + meters / 111_194.93, longitude: 11, horizontalAccuracy: accuracy,
            speed: speed)
    }

    private func meters(_ verdict: FixGate.Verdict) -> Double? {
        if case .step(let step) = verdict { step.meters } else { nil }
    }

    @Test(arguments: [(0.0, false), (0.1, true), (19.9, true), (20.0, false), (50.0, false)])
    func `Accuracy must lie between 0 and 20 m, both exclusive`(
        accuracy: Double, isUsed: Bool
    ) throws {
        var gate = FixGate()
        _ = gate.admit(try place(0), at: at(0))
        let verdict = gate.admit(try place(3, accuracy: accuracy), at: at(1))
        #expect((meters(verdict) != nil) == isUsed)
    }

    @Test func `A second fix at the same or an earlier time changes nothing`() throws {
        var gate = FixGate()
        _ = gate.admit(try place(0), at: at(0))
        _ = gate.admit(try place(3), at: at(1))
        #expect(meters(gate.admit(try place(90), at: at(1))) == nil)
        #expect(meters(gate.admit(try place(1), at: at(0.5))) == nil)
        let next = try #require(meters(gate.admit(try place(6), at: at(2))))
        #expect(abs(next - 3) < 0.02)
    }

    @Test func `One bad fix costs nothing`() throws {
        var gate = FixGate()
        var sum = 0.0
        for second in 0..<20 {
            let way = 3 * Double(second) + (second == 10 ? 400 : 0)
            sum += meters(gate.admit(try place(way), at: at(Double(second)))) ?? 0
        }
        #expect(abs(sum - 57) < 0.1)
    }

    @Test func `Two fixes that agree elsewhere are believed, the leap between is no way`() throws {
        var gate = FixGate()
        var jumps = 0
        var sum = 0.0
        for second in 0..<20 {
            let way = 3 * Double(second) + (second >= 10 ? 200 : 0)
            guard
                case .step(let step) = gate.admit(try place(way), at: at(Double(second)))
            else { continue }
            if step.isJump { jumps += 1 } else { sum += step.meters }
        }
        #expect(jumps == 1)
        #expect(abs(sum - (57 - 6)) < 0.1)
    }

    @Test func `15 m a second is too fast unless Doppler says so`() throws {
        var gate = FixGate()
        _ = gate.admit(try place(0), at: at(0))
        #expect(meters(gate.admit(try place(15.1), at: at(1))) == nil)
        var wheels = FixGate()
        _ = wheels.admit(try place(0), at: at(0))
        #expect(meters(wheels.admit(try place(17, speed: 16.5), at: at(1))) != nil)
    }
}

@Suite struct DistanceTests {
    /// Mean and worst error of the final distance over seeds, percent.
    private func errors(
        _ settings: RunnerSettings, plan: RunPlan, seeds: ClosedRange<UInt64>
    ) -> (mean: Double, worst: Double) {
        var sum = 0.0
        var worst = 0.0
        for seed in seeds {
            var runner = SimulatedRunner(seed: seed, plan: plan, settings: settings)
            var pipeline = SessionPipeline(profile: RunnerProfile())
            var events: [StreamEvent] = []
            while let next = runner.next() {
                guard case .location(let fix) = next.frame.payload else { continue }
                pipeline.apply(location: fix, at: next.frame.deviceTime, into: &events)
                events.removeAll(keepingCapacity: true)
            }
            let truth = runner.truth.last?.distanceMeters ?? 0
            let error = 100 * ((pipeline.metrics.distanceMeters ?? 0) - truth) / truth
            sum += error
            if abs(error) > abs(worst) { worst = error }
        }
        return (sum / Double(seeds.count), worst)
    }

    private var positionsOnly: RunnerSettings {
        var settings = RunnerSettings()
        settings.motionRate = 0
        settings.sendsHeartRate = false
        settings.sendsPressure = false
        settings.sendsStatus = false
        return settings
    }

    @Test func `Exact fixes give the exact way`() {
        var settings = positionsOnly
        settings.positionError = 0
        let plan = RunPlan(legs: [.init(seconds: 900, speed: 3)])
        let error = errors(settings, plan: plan, seeds: 1...2)
        #expect(abs(error.mean) < 1.2)
    }

    @Test func `Wandering fixes lengthen a run by a percent at most`() {
        let plan = RunPlan(legs: [.init(seconds: 1800, speed: 3)])
        let error = errors(positionsOnly, plan: plan, seeds: 1...6)
        #expect(abs(error.mean) < 1.2)
        #expect(abs(error.worst) < 2.5)
    }

    @Test func `Nor a slow walk, whose steps are hardly longer than the scatter`() {
        let plan = RunPlan(legs: [.init(seconds: 1800, speed: 1.2)])
        let error = errors(positionsOnly, plan: plan, seeds: 1...6)
        #expect(abs(error.mean) < 2)
        #expect(abs(error.worst) < 3.5)
    }

    @Test func `Ten minutes of standing credit three meters at most`() {
        for seed in 1...6 {
            let plan = RunPlan(legs: [
                .init(seconds: 120, speed: 3), .init(seconds: 600, speed: 0),
            ])
            var runner = SimulatedRunner(
                seed: UInt64(seed), plan: plan, settings: positionsOnly)
            var pipeline = SessionPipeline(profile: RunnerProfile())
            var events: [StreamEvent] = []
            var stopped: Double?
            while let next = runner.next() {
                guard case .location(let fix) = next.frame.payload else { continue }
                pipeline.apply(location: fix, at: next.frame.deviceTime, into: &events)
                events.removeAll(keepingCapacity: true)
                if stopped == nil, runner.truth.count >= 130 {
                    stopped = pipeline.metrics.distanceMeters
                }
            }
            let credited = (pipeline.metrics.distanceMeters ?? 0) - (stopped ?? 0)
            #expect(credited <= 3, "seed \(seed)")
        }
    }

    @Test func `What is held back while standing is doubtful is given once it was a way`() throws {
        var distance = Distance(calibration: nil)
        var gate = FixGate()
        let start = Timestamp(microseconds: 1_763_700_000_000_000)
        for second in 0..<30 {
            let time = start.advanced(bySeconds: Double(second))
            let fix = try Location(
                latitude: 48 + 3 * Double(second) / 111_194.93, longitude: 11,
                horizontalAccuracy: 4)
            switch gate.admit(fix, at: time) {
            case .refused: break
            case .first(let first): distance.start(at: first, steps: 0)
            case .step(let step):
                if second == 10 { distance.hold() }
                if second == 15 { distance.release() }
                distance.add(step, isMoving: true, steps: 0, cadence: nil)
                if (10..<15).contains(second) {
                    #expect(abs((distance.meters ?? 0) - 27) < 0.5)
                }
            }
        }
        #expect(abs((distance.meters ?? 0) - 87) < 0.5)
    }

    @Test func `Steps carry the distance through a hole of the positions`() throws {
        var distance = Distance(calibration: nil)
        var gate = FixGate()
        let start = Timestamp(microseconds: 1_763_700_000_000_000)
        var steps = 0
        for second in 0..<180 {
            let time = start.advanced(bySeconds: Double(second))
            steps = second * 3
            let isHole = (100..<140).contains(second)
            guard !isHole else {
                if second > 105 { distance.bridge(steps: Double(steps), cadence: 180) }
                continue
            }
            let fix = try Location(
                latitude: 48 + 3 * Double(second) / 111_194.93, longitude: 11,
                horizontalAccuracy: 4)
            switch gate.admit(fix, at: time) {
            case .refused: break
            case .first(let first): distance.start(at: first, steps: 0)
            case .step(let step):
                distance.add(step, isMoving: true, steps: Double(steps), cadence: 180)
            }
        }
        #expect(distance.stride.isLearned)
        #expect(abs(distance.stride.metersPerStep(cadence: 180) - 1) < 0.03)
        #expect(abs((distance.meters ?? 0) - 537) < 537 * 0.01)
    }

    @Test func `A treadmill counts steps by the owner's line`() {
        var distance = Distance(calibration: StrideCalibration(slope: 0.005, intercept: 0.2))
        distance.addSteps(to: 0, cadence: 160, isMoving: true)
        distance.addSteps(to: 160, cadence: 160, isMoving: true)
        #expect(abs((distance.meters ?? 0) - 160) < 1e-9)
        distance.addSteps(to: 200, cadence: 160, isMoving: false)
        distance.addSteps(to: 210, cadence: 160, isMoving: true)
        #expect(abs((distance.meters ?? 0) - 170) < 1e-9)
    }
}
