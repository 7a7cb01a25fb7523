/// How many decimals each quantity is sent with, in one table: enough that nothing a person could
/// notice is lost, and no digit that only says how a floating-point number is stored.
enum Decimals {
    /// Device time and moments, seconds since 1970.
    static let time = 3
    /// Heart rates: beats/min, whole, rounded to nearest.
    static let heartRate = 0
    static let ageSeconds = 1
    static let rmssd = 1
    /// Cadence and its uncertainty, steps/min.
    static let cadence = 1
    static let confidence = 2
    static let distanceMeters = 1
    /// Speed and its uncertainty, m/s.
    static let speed = 2
    /// Seconds a kilometer.
    static let pace = 0
    /// Elapsed, moving and paused time, time in zones, splits and laps.
    static let seconds = 1
    static let elevationMeters = 1
    /// Grade, decoupling, share of time in a zone.
    static let percent = 1
    /// A centimeter.
    static let degrees = 7
    static let accuracyMeters = 1
    static let courseDegrees = 0
    static let load = 1
    static let kilocalories = 0
    static let effortKm = 2
    /// Finish and checkpoint predictions.
    static let predictedSeconds = 0
    /// 0…1.
    static let battery = 2
}
