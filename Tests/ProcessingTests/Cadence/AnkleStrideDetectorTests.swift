import Glibc
import SensorModel
import Testing

@testable import Processing

@Suite struct AnkleStrideDetectorTests {
    /// A noise-free ankle at 20 Hz: one swing of 5 rad/s a stride.
    static func ankle(cadence: Double, seconds: Double) -> [(MotionSample, Timestamp)] {
        (0..<Int(seconds * 20)).map { index in
            let time = Double(index) / 20
            let angle = 2 * Double.pi * cadence / 120 * time
            let sample = MotionSample(
                acceleration: SIMD3(0, Float(cos(angle)), 0),
                rotation: SIMD3(0, 0, Float(5 * cos(angle))))
            return (sample, MadeMotion.start.advanced(bySeconds: time))
        }
    }

    @Test(arguments: [120.0, 160, 200, 240])
    func `Clean strides give the exact cadence`(cadence: Double) throws {
        var detector = AnkleStrideDetector()
        for (sample, time) in Self.ankle(cadence: cadence, seconds: 31) {
            detector.update(sample, at: time)
        }
        let value = try #require(detector.stepsPerMinute)
        #expect(abs(value - cadence) < 0.01)
    }

    @Test func `Strides between samples are told to a sample in ten seconds`() throws {
        // 14 strides of 13 1/3 samples last 186 or 187 of them: 180.65 or 179.68 steps/min.
        var detector = AnkleStrideDetector()
        for (sample, time) in Self.ankle(cadence: 180, seconds: 120) {
            detector.update(sample, at: time)
            guard let value = detector.stepsPerMinute,
                time.seconds(since: MadeMotion.start) > 12
            else { continue }
            #expect((179.6...180.7).contains(value))
        }
    }

    @Test func `Each stride counts two steps`() {
        var detector = AnkleStrideDetector()
        for (sample, time) in Self.ankle(cadence: 120, seconds: 60) {
            detector.update(sample, at: time)
        }
        #expect(detector.steps == 120)
    }

    /// A detector after strides at given seconds, with quiet samples every `interval` between them.
    static func detector(strides: [Double], samples: Int, interval: Double) -> AnkleStrideDetector {
        var detector = AnkleStrideDetector()
        var moments = (0..<samples).map { (Double($0) * interval, Float(0.5), Float(0)) }
        for stride in strides {
            moments.append((stride - 0.001, 1, 1))
            moments.append((stride, -3, 0))
            moments.append((stride + 0.001, 1, 0))
        }
        for (seconds, rotation, forward) in moments.sorted(by: { $0.0 < $1.0 }) {
            let sample = MotionSample(
                acceleration: SIMD3(0, forward, 0), rotation: SIMD3(0, 0, rotation))
            detector.update(sample, at: MadeMotion.start.advanced(bySeconds: seconds))
        }
        return detector
    }

    static func compute(_ detector: AnkleStrideDetector, at seconds: Double) -> Double {
        detector.compute(at: MadeMotion.start.advanced(bySeconds: seconds).microseconds)
    }

    @Test func `Nineteen samples are too few, twenty are enough`() {
        let few = Self.detector(strides: [1, 2], samples: 13, interval: 0.2)
        #expect(Self.compute(few, at: 2.5) == 0)
        let enough = Self.detector(strides: [1, 2], samples: 14, interval: 0.2)
        #expect(Self.compute(enough, at: 2.7) == 120)
    }

    @Test func `One stride makes no cadence`() {
        #expect(Self.compute(Self.detector(strides: [1], samples: 40, interval: 0.1), at: 4) == 0)
    }

    @Test(arguments: [(59.9, 0.0), (60.1, 60.1), (299.9, 299.9), (300.1, 0)])
    func `Only sixty to three hundred is shown`(cadence: Double, shown: Double) {
        let detector = Self.detector(
            strides: [2, 2 + 120 / cadence], samples: 80, interval: 0.1)
        #expect(abs(Self.compute(detector, at: 8) - shown) < 0.01)
    }

    @Test func `Strides leave after ten seconds`() {
        let detector = Self.detector(strides: [1, 2], samples: 200, interval: 0.1)
        #expect(Self.compute(detector, at: 10.5) == 120)
        #expect(Self.compute(detector, at: 11.5) == 0)
    }

    @Test func `Rotation without the forward push arms nothing`() {
        var detector = AnkleStrideDetector()
        for (sample, time) in Self.ankle(cadence: 160, seconds: 30) {
            var sample = sample
            sample.acceleration.y = -abs(sample.acceleration.y)
            detector.update(sample, at: time)
        }
        #expect(detector.steps == 0)
        #expect(detector.stepsPerMinute == 0)
    }

    @Test func `At the ankle with a gyroscope the machine goes first`() throws {
        var processor = CadenceProcessor(placement: .ankle)
        for (sample, time) in Self.ankle(cadence: 160, seconds: 40) {
            processor.update(sample, traits: .hasRotation, at: time)
        }
        let value = try #require(processor.cadence.stepsPerMinute)
        #expect(abs(value - 160) < 0.5)
        #expect(abs(processor.steps - 106) <= 2)
    }
}
