import SensorModel

/// Simulates a heart-rate sensor, which sends whole beats per minute and, if set, RR intervals.
struct HeartSensor: Sendable {
    private let settings: RunnerSettings
    private var generator: SeededGenerator
    private var error = 0.0
    /// Seconds until the next beat.
    private var untilBeat = 0.5
    private var lastInterval = 0.8

    init(_ settings: RunnerSettings, _ generator: SeededGenerator) {
        self.settings = settings
        self.generator = generator
    }

    /// Takes a sample. The caller calls it once a second.
    mutating func sample(_ heartRate: Double) -> HeartRateSample? {
        error = 0.9 * error + 0.4 * generator.gaussian()
        let shown = min(max((heartRate + error).rounded(), 30), 230)
        let intervals = settings.sendsRRIntervals ? beats(in: 1, heartRate) : []
        // A value within 30…230 is always valid.
        return try? HeartRateSample(beatsPerMinute: shown, contact: .on, rrIntervals: intervals)
    }

    private mutating func beats(in seconds: Double, _ heartRate: Double) -> [UInt16] {
        var intervals: [UInt16] = []
        untilBeat -= seconds
        while untilBeat <= 0 {
            intervals.append(UInt16((lastInterval * 1024).rounded()))
            // Variability falls as the heart rate rises.
            let spread = max(0.002, 0.045 - 0.0003 * heartRate)
            lastInterval = min(max(60 / heartRate + spread * generator.gaussian(), 0.25), 2)
            untilBeat += lastInterval
        }
        return intervals
    }
}
