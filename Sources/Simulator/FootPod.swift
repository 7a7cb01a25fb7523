import SensorModel

/// Simulates a foot pod, which counts steps exactly and measures distance with a calibration error.
struct FootPod: Sendable {
    private let settings: RunnerSettings.FootPod
    private var generator: SeededGenerator

    init(_ settings: RunnerSettings.FootPod, _ generator: SeededGenerator) {
        self.settings = settings
        self.generator = generator
    }

    /// Returns the pod's values for one second.
    mutating func sample(_ body: Body) -> MeasuredValues {
        let factor = 1 + settings.calibrationError
        let speed = max(0, factor * body.speed + 0.03 * generator.gaussian())
        let cadence = body.isStanding ? 0 : max(0, body.cadence + 0.5 * generator.gaussian())
        var values = MeasuredValues(source: settings.name, placement: settings.placement)
        var all: [(MeasuredValues.Quantity, Double)] = [
            (.cadence, cadence), (.speed, speed), (.distance, factor * body.distance),
            (.stepCount, body.stepPhase.rounded(.down)),
            // About one watt a kilogram for each meter a second.
            (.power, 70 * speed),
        ]
        if !body.isStanding {
            all.append((.strideLength, 120 * speed / max(cadence, 60)))
            all.append((.groundContact, max(0.15, 0.34 - 0.035 * speed)))
        }
        // A body's values are within the ranges.
        for (quantity, value) in all { try? values.set(quantity, to: value) }
        return values
    }
}
