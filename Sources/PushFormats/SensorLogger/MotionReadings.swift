import Bytes
import Recordings
import SensorModel

/// Combines readings of acceleration and rotation. Only the magnitude shows the unit: g or m/s².
struct MotionReadings {
    enum Kind {
        /// Acceleration without gravity.
        case userAcceleration
        case totalAcceleration
        case rotation
    }

    private struct Reading {
        var time: Timestamp
        var vector: SIMD3<Double>
    }

    private static let standardGravity = 9.80665
    /// Readings further apart than this belong to different moments.
    private static let matchMicroseconds: Int64 = 20_000

    private var user: [Reading] = []
    private var total: [Reading] = []
    private var rotation: [Reading] = []
    private var unreadable = 0
    /// Whether a wrist's gravity, and so its acceleration, is in m/s² (9.8) instead of g (1).
    private var wristGravityIsMetric = false
    private var hasWrist = false

    mutating func add(_ kind: Kind, _ values: JSONValue, at time: Timestamp, negated: Bool) {
        guard let vector = Self.vector(values, "x", "y", "z") else { return unreadable += 1 }
        let reading = Reading(time: time, vector: negated ? -vector : vector)
        switch kind {
        case .userAcceleration: user.append(reading)
        case .totalAcceleration: total.append(reading)
        case .rotation: rotation.append(reading)
        }
    }

    /// Adds a reading of a watch. Readings of a watch replace those of the phone.
    mutating func addWrist(_ values: JSONValue, at time: Timestamp) {
        guard
            let acceleration = Self.vector(
                values, "accelerationX", "accelerationY", "accelerationZ")
        else { return unreadable += 1 }
        if !hasWrist {
            user = []
            total = []
            rotation = []
            hasWrist = true
        }
        if let gravity = Self.vector(values, "gravityX", "gravityY", "gravityZ") {
            wristGravityIsMetric = (gravity * gravity).sum() > 16
        }
        user.append(Reading(time: time, vector: acceleration))
        if let rates = Self.vector(values, "rotationRateX", "rotationRateY", "rotationRateZ") {
            rotation.append(Reading(time: time, vector: rates))
        }
    }

    /// - Returns: The samples; `nil` without acceleration.
    consuming func batcher(_ collector: inout PushCollector) -> MotionBatcher? {
        for _ in 0..<unreadable { collector.refuse("no value") }
        let includesGravity = user.isEmpty
        let readings = (includesGravity ? total : user).sorted { $0.time < $1.time }
        guard !readings.isEmpty else { return nil }
        // Sensor Logger's accelerometer is in m/s² on both platforms.
        var isMetric = true
        if hasWrist { isMetric = wristGravityIsMetric }
        if includesGravity {
            let mean = readings.reduce(0) { $0 + ($1.vector * $1.vector).sum().squareRoot() }
            isMetric = mean / Double(readings.count) > 4
        }
        let scale = isMetric ? 1 / Self.standardGravity : 1
        let matched = matchedRotation(readings)
        var traits: MotionTraits = includesGravity ? .includesGravity : []
        if matched != nil { traits.insert(.hasRotation) }
        var batcher = MotionBatcher(traits: traits)
        for (index, reading) in readings.enumerated() {
            var sample = MotionSample(acceleration: SIMD3<Float>(reading.vector * scale))
            if let matched { sample.rotation = SIMD3<Float>(matched[index]) }
            guard sample.isInRange else {
                collector.refuse("acceleration or rotation out of range")
                continue
            }
            guard collector.believableTimes.contains(reading.time) else {
                collector.refuse("time out of range")
                continue
            }
            batcher.times.append(reading.time.microseconds)
            batcher.samples.append(sample)
        }
        return batcher
    }

    /// Returns the rotation nearest to each acceleration; `nil` unless each has one.
    private func matchedRotation(_ readings: [Reading]) -> [SIMD3<Double>]? {
        let sorted = rotation.sorted { $0.time < $1.time }
        guard !sorted.isEmpty else { return nil }
        var result: [SIMD3<Double>] = []
        var index = 0
        func distance(_ index: Int, _ time: Timestamp) -> Int64 {
            let (difference, overflow) = sorted[index].time.microseconds
                .subtractingReportingOverflow(time.microseconds)
            return overflow || difference == .min ? .max : abs(difference)
        }
        for reading in readings {
            while index + 1 < sorted.count,
                distance(index + 1, reading.time) <= distance(index, reading.time)
            {
                index += 1
            }
            guard distance(index, reading.time) <= Self.matchMicroseconds else { return nil }
            result.append(sorted[index].vector)
        }
        return result
    }

    private static func vector(
        _ values: JSONValue, _ x: String, _ y: String, _ z: String
    ) -> SIMD3<Double>? {
        guard let x = values[x]?.lenientDouble, let y = values[y]?.lenientDouble,
            let z = values[z]?.lenientDouble
        else { return nil }
        return SIMD3(x, y, z)
    }
}
