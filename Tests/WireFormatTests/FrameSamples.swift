import SensorModel

/// A seeded generator, so that a failing case can be run again.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Random frames within their ranges.
enum FrameSamples {
    static func payload(
        _ random: inout SplitMix, exactMotion: Bool = false
    ) throws -> Frame.Payload {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .heartRate(try heartRate(&random))
        case 1, 2: return .motion(motion(&random, exact: exactMotion))
        case 3: return .location(try location(&random))
        case 4: return .control(ControlAction.allCases.randomElement(using: &random) ?? .lap)
        case 8: return .foreign(foreign(&random))
        case 7: return .measured(try measured(&random))
        case 5: return .pressure(hectopascals: Float.random(in: 300...1200, using: &random))
        case 6:
            return .status(
                DeviceStatus(
                    batteryPercent: Bool.random(using: &random)
                        ? UInt8.random(in: 0...100, using: &random) : nil,
                    charging: Bool.random(using: &random)))
        default:
            return Bool.random(using: &random) ? .marker("Kilometer 5, Grüße") : .source("strap")
        }
    }

    static func heartRate(_ random: inout SplitMix) throws -> HeartRateSample {
        let intervals = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            UInt16.random(in: 0...UInt16.max, using: &random)
        }
        return try HeartRateSample(
            beatsPerMinute: Double.random(in: 20...250, using: &random),
            contact: [.unknown, .off, .on].randomElement(using: &random) ?? .on,
            rrIntervals: intervals)
    }

    static func foreign(_ random: inout SplitMix) -> ForeignMessages {
        let count = [1, 2, 100, ForeignMessages.bytesMax].randomElement(using: &random) ?? 1
        return ForeignMessages(
            format: .fit, bytes: (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    static func measured(_ random: inout SplitMix) throws -> MeasuredValues {
        var values = MeasuredValues(
            source: Bool.random(using: &random) ? "Füßchen" : nil,
            placement: Bool.random(using: &random)
                ? MeasuredValues.Placement.allCases.randomElement(using: &random) : nil)
        let first = Int.random(in: 0..<MeasuredValues.Quantity.allCases.count, using: &random)
        for quantity in MeasuredValues.Quantity.allCases[first...] {
            try values.set(quantity, to: Double.random(in: quantity.range, using: &random))
        }
        return values
    }

    static func location(_ random: inout SplitMix) throws -> Location {
        func some(_ range: ClosedRange<Double>, _ random: inout SplitMix) -> Double? {
            Int.random(in: 0..<4, using: &random) == 0
                ? nil : Double.random(in: range, using: &random)
        }
        return try Location(
            latitude: Double.random(in: -90...90, using: &random),
            longitude: Double.random(in: -180...180, using: &random),
            altitude: some(-500...9000, &random), horizontalAccuracy: some(-1...7000, &random),
            verticalAccuracy: some(-1...7000, &random), speed: some(-1...400, &random),
            course: some(-1...360, &random))
    }

    static func motion(_ random: inout SplitMix, exact: Bool) -> MotionBatch {
        var traits: MotionTraits = Bool.random(using: &random) ? .hasRotation : []
        if Bool.random(using: &random) { traits.insert(.includesGravity) }
        let count = Int.random(in: 1...Limits.motionSamplesMax, using: &random)
        func axis(_ range: ClosedRange<Float>, _ steps: Float, _ random: inout SplitMix) -> Float {
            let value = Float.random(in: range, using: &random)
            return exact ? value : (value * steps).rounded() / steps
        }
        let samples = (0..<count).map { _ in
            MotionSample(
                acceleration: SIMD3(
                    axis(-31...31, 1024, &random), axis(-31...31, 1024, &random),
                    axis(-31...31, 1024, &random)),
                rotation: traits.contains(.hasRotation)
                    ? SIMD3(
                        axis(-40...40, 800, &random), axis(-40...40, 800, &random),
                        axis(-40...40, 800, &random)) : .zero)
        }
        return MotionBatch(
            traits: traits, intervalMicroseconds: count > 1 ? 20_000 : 0, samples: samples,
            heartRate: exact ? 152.5 : nil)
    }
}
