/// Decimals of each quantity in messages: enough for any visible difference, and no digit that only
/// reflects the storage of floating-point numbers.
enum Decimals {
    /// Device time and other times, seconds since 1970.
    static let time = 3
    /// Heart rates: whole beats/min, rounded to nearest.
    static let heartRate = 0
    static let ageSeconds = 1
    static let rmssd = 1
    /// Cadence and its uncertainty, steps/min.
    static let cadence = 1
    static let confidence = 2
    /// Power, watts.
    static let power = 0
    /// Length of a stride.
    static let strideMeters = 2
    /// Time of a foot on the ground.
    static let contactSeconds = 3
    /// Rise and fall of the trunk.
    static let oscillationMeters = 3
    static let distanceMeters = 1
    /// Speed and its uncertainty, m/s.
    static let speed = 2
    /// Pace, seconds a kilometer.
    static let pace = 0
    /// Elapsed, moving and paused time, time in zones, splits and laps.
    static let seconds = 1
    static let elevationMeters = 1
    /// Grade, decoupling, percentage of time in a zone.
    static let percent = 1
    /// Position; the last digit is about a centimeter.
    static let degrees = 7
    static let accuracyMeters = 1
    static let courseDegrees = 0
    static let load = 1
    static let kilocalories = 0
    static let effortKm = 2
    /// Finish and checkpoint predictions.
    static let predictedSeconds = 0
    /// Battery level, 0…1.
    static let battery = 2
}
