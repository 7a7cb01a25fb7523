import SensorModel

/// Mean and maximum of the heart rate in view.
///
/// The mean cannot be the session's minus that of the hidden stretches. The session weighs each
/// value by the time for which it was held, which the seconds in zones do not contain. The error
/// would grow with the hidden part.
struct ShownHeartRate: Sendable {
    private var beats = 0.0
    private var seconds = 0.0
    private var maximum: Double?

    /// - Parameters:
    ///   - shown: Metrics with totals in view; mean and maximum are replaced by those in view.
    ///   - metrics: The same metrics as recorded.
    ///   - maximumBefore: The session's maximum when the runner came into view: a higher one was
    ///     reached in view.
    ///   - isWhole: Whether no heart rate was hidden: the recorded mean counts.
    mutating func update(
        _ shown: inout Metrics, of metrics: Metrics, maximumBefore: Double?, isWhole: Bool
    ) {
        if let peak = metrics.maxHeartRate, peak > maximumBefore ?? 0 {
            maximum = peak
        } else if let rate = metrics.heartRate, rate.state == .live {
            maximum = max(maximum ?? 0, rate.beatsPerMinute)
        }
        if metrics.maxHeartRate != nil { shown.maxHeartRate = maximum }
        let inView = shown.zoneSeconds.reduce(0, +)
        if let rate = metrics.heartRate, inView > seconds {
            beats += rate.beatsPerMinute * (inView - seconds)
            seconds = inView
        }
        guard !isWhole, metrics.averageHeartRate != nil else { return }
        shown.averageHeartRate = seconds >= 1 ? beats / seconds : nil
    }
}
