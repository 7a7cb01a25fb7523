import SensorModel
import Simulator
import Testing

@Suite struct PositionSensorTests {
    /// Errors of fixes against the truth of the same second, in meters east and north.
    private static func errors(
        _ settings: RunnerSettings, seed: UInt64, minutes: Double
    ) -> [(second: Int, east: Double, north: Double)] {
        var runner = SimulatedRunner(seed: seed, plan: .easy(minutes: minutes), settings: settings)
        var fixes: [(Timestamp, Location)] = []
        while let frame = runner.next() {
            if case .location(let fix) = frame.frame.payload {
                fixes.append((frame.frame.deviceTime, fix))
            }
        }
        let metersPerDegree = 6_371_000 * Double.pi / 180
        return fixes.compactMap { time, fix in
            let second = Int(time.seconds(since: settings.startTime))
            guard second >= 1, second <= runner.truth.count else { return nil }
            let truth = runner.truth[second - 1]
            return (
                second, (fix.longitude - truth.longitude) * metersPerDegree * 0.8526,
                (fix.latitude - truth.latitude) * metersPerDegree
            )
        }
    }

    private static func spread(_ values: [Double]) -> Double {
        (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
    }

    @Test func `Errors have the size and the memory that were asked for`() {
        var settings = RunnerSettings()
        settings.motionRate = 0
        var all: [Double] = []
        var steps: [Double] = []
        for seed in 1...8 {
            let errors = Self.errors(settings, seed: UInt64(seed), minutes: 20)
            all += errors.map(\.east) + errors.map(\.north)
            steps += zip(errors, errors.dropFirst()).map { $1.north - $0.north }
        }
        #expect((2.0...4.0).contains(Self.spread(all)))
        // Errors of neighboring fixes are correlated, so the shape of the track is preserved.
        #expect(Self.spread(steps) < 0.9)
    }

    @Test func `Gaps take their share of the time`() {
        var settings = RunnerSettings()
        settings.motionRate = 0
        settings.positionGapShare = 0.1
        var fixes = 0
        for seed in 1...6 {
            fixes += Self.errors(settings, seed: UInt64(seed), minutes: 20).count
        }
        let share = 1 - Double(fixes) / (6 * 1200)
        #expect((0.06...0.15).contains(share))
    }

    @Test func `In a tunnel there is no fix`() {
        var settings = RunnerSettings()
        settings.motionRate = 0
        settings.tunnels = [.init(startSeconds: 100, seconds: 60)]
        let seconds = Self.errors(settings, seed: 1, minutes: 5).map(\.second)
        #expect(!seconds.contains { (100..<160).contains($0) })
        #expect(seconds.contains(99))
        #expect(seconds.contains(160))
    }

    @Test func `A circle comes back to where it began`() {
        var settings = RunnerSettings()
        settings.motionRate = 0
        settings.route = .circle(radiusMeters: 100)
        var runner = SimulatedRunner(
            seed: 1, plan: RunPlan(legs: [.init(seconds: 600, speed: 3)]), settings: settings)
        while runner.next() != nil {}
        let lap = 2 * Double.pi * 100
        let round = runner.truth.min {
            abs($0.distanceMeters - lap) < abs($1.distanceMeters - lap)
        }
        let metersPerDegree = 6_371_000 * Double.pi / 180
        let north = ((round?.latitude ?? 0) - settings.latitude) * metersPerDegree
        #expect(abs(north) < 5)
        #expect(
            runner.truth.allSatisfy {
                abs($0.latitude - settings.latitude) * metersPerDegree < 205
            })
    }

    @Test func `A distance filter keeps a standing watch quiet`() {
        var settings = RunnerSettings()
        settings.motionRate = 0
        settings.distanceFilterMeters = 3
        let plan = RunPlan(legs: [.init(seconds: 60, speed: 0), .init(seconds: 60, speed: 3)])
        var runner = SimulatedRunner(seed: 2, plan: plan, settings: settings)
        var standing = 0
        var running = 0
        while let frame = runner.next() {
            guard case .location = frame.frame.payload else { continue }
            if frame.frame.deviceTime.seconds(since: settings.startTime) < 60 {
                standing += 1
            } else {
                running += 1
            }
        }
        #expect(standing < 25)
        #expect(running > 35)
    }
}
