import Glibc
import Simulator
import Testing

@testable import Processing

@Suite struct DopplerFactorTests {
    /// Runs stretches of twenty seconds at 1.25 m/s with a turn of 40° every two minutes, which
    /// Doppler sees shortened by `factor` and rotated.
    private func learned(
        factor: Double, turn: Double = 0, bend: Double = 0.7, stretches: Int = 60,
        error: Double = 0, leapAt leap: Int? = nil, holeAt hole: Int? = nil
    ) -> DopplerFactor {
        var generator = SeededGenerator(seed: 4)
        var learned = DopplerFactor()
        var before = SIMD2<Double>.zero
        for stretch in 0..<stretches {
            if stretch == hole { learned.loseTrack() }
            let angle = Double(stretch / 6) * bend
            var way = 25 * SIMD2(cos(angle), sin(angle))
            let reckoned = 25 / factor * SIMD2(cos(angle - turn), sin(angle - turn))
            let now = error * SIMD2(generator.gaussian(), generator.gaussian())
            way += now - before
            before = now
            if stretch == leap { way += SIMD2(0, 300) }
            learned.note(displacement: way, travel: reckoned, seconds: 20, accuracy: 4)
        }
        return learned
    }

    @Test(arguments: [0.98, 1, 1.035, 1.07])
    func `A way of a kilometer and a half tells the factor to six thousandths`(factor: Double) {
        let exact = learned(factor: factor)
        #expect(abs(exact.value - factor) < 0.006)
        #expect(exact.deviation < 0.011)
        #expect(abs(learned(factor: factor, turn: 0.02).value - factor) < 0.006)
    }

    @Test func `Positions that scatter by meters hardly disturb it`() {
        for factor in [1, 1.07] {
            let scattered = learned(factor: factor, error: 3)
            #expect(abs(scattered.value - factor) < 2 * scattered.deviation)
        }
    }

    @Test func `A leap of the receiver, or a way it did not see, teaches little`() {
        #expect(abs(learned(factor: 1.05, leapAt: 30).value - 1.05) < 0.01)
        #expect(abs(learned(factor: 1.05, holeAt: 30).value - 1.05) < 0.006)
    }

    @Test func `Nothing is learned from a wait`() {
        var learned = DopplerFactor()
        let before = learned.value
        for _ in 0..<30 {
            learned.note(
                displacement: SIMD2(0.5, -0.3), travel: nil, seconds: 20, accuracy: 4)
        }
        #expect(abs(learned.value - before) < 0.001)
    }

    @Test func `Thousands of kilometers away it is still sound`() {
        let far = learned(factor: 1.02, bend: 0, stretches: 100_000, error: 3)
        #expect(far.deviation > 0)
        #expect(abs(far.value - 1.02) < 0.002)
    }

    @Test func `Without courses the ratio of a stretch teaches slowly`() {
        var learned = DopplerFactor()
        for _ in 0..<40 { learned.note(ratio: 1.07) }
        #expect(abs(learned.value - 1.07) < 0.005)
        #expect(learned.deviation < 0.012)
    }
}
