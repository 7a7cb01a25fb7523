import Glibc
import Simulator
import Testing

@testable import Processing

@Suite struct DeadReckoningTests {
    /// Runs straight on at 3 m/s for an hour; `noise` is a standard deviation of courses in
    /// radians.
    ///
    /// - Returns: The dead reckoning, and its distance as a share of the true one.
    private func straight(noise: Double) -> (reckoning: DeadReckoning, share: Double) {
        var generator = SeededGenerator(seed: 8)
        var reckoning = DeadReckoning()
        var way = SIMD2<Double>.zero
        for _ in 0..<3600 {
            let course = 30 + noise * generator.gaussian() * 180 / Double.pi
            way += reckoning.advance(speed: 3, course: course, seconds: 1)
        }
        return (reckoning, (way * way).sum().squareRoot() / (3 * 3600))
    }

    @Test(arguments: [0.0, 0.07, 0.2, 0.35])
    func `Noise of courses does not shorten the way`(noise: Double) {
        let (reckoning, share) = straight(noise: noise)
        #expect(abs(share - 1) < 0.002 + 0.1 * noise * noise)
        #expect(abs(reckoning.courseVariance - noise * noise) < 0.001 + 0.2 * noise * noise)
    }

    @Test func `Corners between two fixes neither lengthen the way nor shorten it`() {
        // A right-angle turn of 5 m radius at 3 m/s, at a hundred phases between two fixes.
        let rate = 3 / 5.0
        let turnSeconds = Double.pi / 2 / rate
        var sum = SIMD2<Double>.zero
        for moment in 0..<100 {
            var reckoning = DeadReckoning(parameters: .init(noiseGain: 0, noiseFirst: 0))
            let begin = 10 + Double(moment) / 100
            for second in 0...30 {
                let turned = min(max(Double(second) - begin, 0), turnSeconds) * rate
                let step = reckoning.advance(
                    speed: 3, course: turned * 180 / Double.pi, seconds: second == 0 ? 0 : 1)
                sum += step / 100
            }
        }
        // North until the turn begins, after 10.495 s on average, then the arc, then east.
        let north = 3 * 10.495 + 5
        let east = 5 + 3 * (30 - 10.495 - turnSeconds)
        #expect(abs(sum.x - east) < 0.01)
        #expect(abs(sum.y - north) < 0.01)
    }

    @Test func `Smooth curves and corners are hardly taken for noise`() {
        var curve = DeadReckoning()
        var streets = DeadReckoning()
        for second in 0..<1200 {
            _ = curve.advance(speed: 3, course: Double(3 * second % 360), seconds: 1)
            _ = streets.advance(speed: 3, course: Double(second / 35 % 4 * 90), seconds: 1)
        }
        #expect(curve.courseVariance < 1e-5)
        #expect(streets.courseVariance < 0.0015)
    }
}
