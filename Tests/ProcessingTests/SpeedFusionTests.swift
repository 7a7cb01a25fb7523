import Glibc
import SensorModel
import Testing

@testable import Processing

@Suite struct SpeedFusionTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    /// Meters credited for 20 s north at 3 m/s by position and 2.7 m/s by Doppler.
    private func credited(accuracy: Double, course: Double?) throws -> Double {
        var gate = FixGate()
        var fusion = SpeedFusion()
        for second in 0...20 {
            let location = try Location(
                latitude: 48 + 3 * Double(second) / 111_194.93, longitude: 11,
                horizontalAccuracy: accuracy, speed: 2.7, course: course)
            guard case .step(let step) = gate.admit(location, at: at(Double(second))) else {
                continue
            }
            fusion.add(pathMeters: step.meters, step: step)
        }
        return fusion.meters
    }

    @Test(arguments: [(4.0, 0.0, 57.1), (1, 0, 58.6), (4, nil, 58.3), (1, nil, 58.3)])
    func `Doppler counts alone but where the path is exact or no course is sent`(
        accuracy: Double, course: Double?, meters: Double
    ) throws {
        #expect(abs(try credited(accuracy: accuracy, course: course) - meters) < 0.4)
    }

    @Test func `What alternates by 5 % from minute to minute leaves 1.6 % of ten unknown`() {
        var variation = FactorVariation()
        for minute in 0..<10 {
            variation.note(
                path: 180 * exp(minute % 2 == 0 ? 0.05 : -0.05), doppler: 180, seconds: 60,
                accuracy: 0.01, factor: 1)
        }
        #expect(abs(variation.share - 0.05 / sqrt(10)) < 1e-4)
    }

    @Test func `What the ends of a minute explain is no variation`() {
        var variation = FactorVariation()
        for minute in 0..<10 {
            variation.note(
                path: minute % 2 == 0 ? 183 : 177, doppler: 180, seconds: 60, accuracy: 4,
                factor: 1)
        }
        #expect(variation.share == 0)
    }
}
