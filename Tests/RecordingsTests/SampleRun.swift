import Glibc
import MutatedBytes
import Recordings
import SensorModel

/// A short generated run with every kind of value.
struct SampleRun {
    static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    var frames: [Frame] = []
    var session: RecordedSession

    /// - Parameters:
    ///   - seconds: Duration of the run, with a manual pause of 20 s in its middle.
    ///   - seed: Seed of the noise.
    /// - Throws: ``SensorError``, never for these numbers.
    init(seconds: Int, seed: UInt64 = 1) throws {
        var generator = SeededGenerator(seed: seed)
        let pause = seconds / 2..<seconds / 2 + 20
        let end = Self.start.advanced(bySeconds: Double(seconds))
        session = RecordedSession(
            id: SessionID(high: 7, low: 9), device: "wrist", name: "Morning <run> & \"more\"",
            start: Self.start, end: end)
        var meters = 0.0
        for second in 0...seconds {
            let time = Self.start.advanced(bySeconds: Double(second))
            let paused = pause.contains(second)
            let rate = Double(Int.random(in: 1200...1800, using: &generator)) / 10
            let location = try Location(
                latitude: 48.1 + meters * 8.9e-6, longitude: 11.5,
                altitude: 500 + 10 * sin(Double(second) / 50), horizontalAccuracy: 4.5,
                speed: paused ? 0 : 3, course: 12.5)
            frames.append(Self.frame(.heartRate(try HeartRateSample(beatsPerMinute: rate)), time))
            frames.append(Self.frame(.location(location), time))
            frames.append(Self.frame(.motion(Self.motion(&generator)), time))
            frames.append(Self.frame(.measured(try Self.measured(&generator)), time))
            var point = SessionPoint(time: time)
            point.latitude = location.latitude
            point.longitude = location.longitude
            point.altitudeMeters = location.altitude
            point.horizontalAccuracyMeters = location.horizontalAccuracy
            point.heartRate = rate
            point.cadence = paused ? nil : Double(Int.random(in: 320...360, using: &generator)) / 2
            point.distanceMeters = meters
            point.speedMetersPerSecond = location.speed
            point.paused = paused
            session.points.append(point)
            if !paused { meters += 3 }
        }
        session.seconds = session.points
        let stop = Self.start.advanced(bySeconds: Double(pause.lowerBound))
        let resume = Self.start.advanced(bySeconds: Double(pause.upperBound))
        session.pauses = [RecordedPause(start: stop, end: resume, automatic: false)]
        session.laps = [
            RecordedLap(start: Self.start, end: resume, timerSeconds: Double(seconds / 2))
        ]
        frames.append(Self.frame(.foreign(ForeignMessages(format: .fit, bytes: [64, 0, 9])), end))
        frames.append(Self.frame(.marker("hill"), end))
    }

    /// All bytes of an export in one format.
    func export(_ format: ExportFormat) -> [UInt8] {
        var export = SessionExport(format: format, session: session)
        var bytes = export.takeBytes()
        if export.readsFrames {
            for frame in frames {
                let arrival = frame.deviceTime.advanced(byMicroseconds: 250_000)
                export.append(frame, arrivalTime: arrival)
                bytes += export.takeBytes()
            }
        }
        export.finish()
        return bytes + export.takeBytes()
    }

    private static func frame(_ payload: Frame.Payload, _ time: Timestamp) -> Frame {
        Frame(sequence: .none, deviceTime: time, payload: payload)
    }

    private static func motion(_ generator: inout SeededGenerator) -> MotionBatch {
        let samples = (0..<20).map { _ in
            MotionSample(
                acceleration: vector(&generator, within: 2), rotation: vector(&generator, within: 9)
            )
        }
        return MotionBatch(
            traits: [.hasRotation], intervalMicroseconds: 50_000, samples: samples)
    }

    /// A foot pod's sample with every measured value.
    private static func measured(
        _ generator: inout SeededGenerator
    ) throws -> MeasuredValues {
        var values = MeasuredValues(source: "pod, \"left\"", placement: .foot)
        for quantity in MeasuredValues.Quantity.allCases {
            try values.set(quantity, to: Double.random(in: quantity.range, using: &generator))
        }
        return values
    }

    /// A vector on a grid of millionths, the precision of text frames and the reference's CSV.
    private static func vector(
        _ generator: inout SeededGenerator, within bound: Int
    ) -> SIMD3<Float> {
        func value() -> Float {
            Float(Int.random(in: -bound * 1_000_000...bound * 1_000_000, using: &generator))
                / 1_000_000
        }
        return SIMD3(value(), value(), value())
    }
}

extension Recording {
    var heartRates: [Double] {
        frames.compactMap { frame in
            guard case .heartRate(let sample) = frame.payload else { return nil }
            return sample.beatsPerMinute
        }
    }

    var locations: [Location] {
        frames.compactMap { frame in
            guard case .location(let location) = frame.payload else { return nil }
            return location
        }
    }

    var motionSamples: [MotionSample] {
        frames.flatMap { frame -> [MotionSample] in
            guard case .motion(let batch) = frame.payload else { return [] }
            return batch.samples
        }
    }

    var actions: [ControlAction] {
        frames.compactMap { frame in
            guard case .control(let action) = frame.payload else { return nil }
            return action
        }
    }
}
