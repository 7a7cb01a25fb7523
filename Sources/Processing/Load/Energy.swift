/// Calories and effort, by the reference's formulas.
enum Energy {
    /// Weight in kilograms if the profile has none; the reference's value.
    static let defaultWeightKg = 70.0

    /// Metabolic equivalents by average pace, s/km (the reference's table).
    static func metabolicEquivalents(paceSecondsPerKm: Double) -> Double {
        switch paceSecondsPerKm {
        case ..<300: 12
        case ..<360: 10
        case ..<420: 9
        case ..<480: 8
        default: 7
        }
    }

    /// - Returns: kcal; `nil` without distance, where the reference assumes 12 equivalents.
    static func kilocalories(
        meters: Double, movingSeconds: Double, weightKg: Double?
    ) -> Double? {
        guard meters > 0, movingSeconds > 0 else { return nil }
        let pace = movingSeconds / meters * 1000
        return metabolicEquivalents(paceSecondsPerKm: pace) * (weightKg ?? defaultWeightKg)
            * movingSeconds / 3600
    }

    /// Effort in kilometers, where 100 m of climb count as one kilometer.
    static func effortKm(meters: Double, gainMeters: Double?) -> Double {
        meters / 1000 + (gainMeters ?? 0) / 100
    }
}
