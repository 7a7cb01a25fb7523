import SensorModel

/// The reference application's stride detector for a watch at the left ankle: +X to the ground, +Y
/// forward, +Z towards the other foot.
///
///     waiting --(rotation z > 0 and acceleration y > 0)--> armed
///     armed --(rotation z <= -2 rad/s)--> a stride, which is two steps --> spent
///     spent --(rotation z > 0; this sample is used up)--> waiting
///
/// One pass over the samples gives the strides of the reference's recomputed windows, without the
/// false ones at window edges. It keeps at most 64 strides and the times of 20 samples.
struct AnkleStrideDetector: Sendable {
    /// Period over which a cadence counts strides, and time between two computations.
    private static let windowMicroseconds: Int64 = 10_000_000
    private static let publishMicroseconds: Int64 = 3_000_000
    private static let samplesMin = 20
    /// Rotation that marks a stride, rad/s. The foot swings forward at 4 rad/s or more.
    private static let strideRotation: Float = -2
    /// Range of cadences that the reference shows, steps/min; other values become 0.
    private static let shown: ClosedRange<Double> = 60...300
    /// Maximum strides kept: 10 s at 300 steps/min hold 25, and noise may add more.
    private static let capacity = 64

    private enum Phase: Sendable {
        case waiting, armed, spent
    }

    private var phase = Phase.waiting
    private var strides = [Int64](repeating: 0, count: capacity)
    private var strideCount = 0
    private var recentSamples = [Int64](repeating: 0, count: samplesMin)
    private var sampleCount = 0
    private var nextPublish: Int64?

    /// Cadence; 0 if it cannot be computed, `nil` before the first computation.
    private(set) var stepsPerMinute: Double?

    /// Steps counted: two for each stride.
    var steps: Int { strideCount * 2 }

    /// Adds a sample; `time` is not before the previous sample's.
    mutating func update(_ sample: MotionSample, at time: Timestamp) {
        let now = time.microseconds
        recentSamples[sampleCount % Self.samplesMin] = now
        sampleCount += 1
        advance(sample, at: now)
        guard let due = nextPublish else {
            nextPublish = now + Self.publishMicroseconds
            return
        }
        guard now >= due else { return }
        nextPublish = now + Self.publishMicroseconds
        stepsPerMinute = compute(at: now)
    }

    private mutating func advance(_ sample: MotionSample, at now: Int64) {
        switch phase {
        case .waiting:
            if sample.rotation.z > 0, sample.acceleration.y > 0 { phase = .armed }
        case .armed:
            guard sample.rotation.z <= Self.strideRotation else { return }
            strides[strideCount % Self.capacity] = now
            strideCount += 1
            phase = .spent
        case .spent:
            if sample.rotation.z > 0 { phase = .waiting }
        }
    }

    /// Cadence: (strides − 1) × 2 over the time from the first to the last stride in the window.
    func compute(at now: Int64) -> Double {
        let begin = now - Self.windowMicroseconds
        guard sampleCount >= Self.samplesMin,
            recentSamples[sampleCount % Self.samplesMin] >= begin, strideCount >= 2
        else { return 0 }
        let last = strides[(strideCount - 1) % Self.capacity]
        var inWindow = 0
        var first = last
        while inWindow < min(strideCount, Self.capacity) {
            let stride = strides[(strideCount - 1 - inWindow) % Self.capacity]
            guard stride >= begin else { break }
            first = stride
            inWindow += 1
        }
        guard inWindow >= 2, last > first else { return 0 }
        let seconds = Double(last - first) / 1_000_000
        let cadence = Double(inWindow - 1) * 2 / seconds * 60
        return Self.shown.contains(cadence) ? cadence : 0
    }
}
