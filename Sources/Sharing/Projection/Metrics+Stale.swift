import SensorModel

extension Metrics {
    /// Removes stale values that were not shown before. They were measured while the runner was
    /// hidden, and their age would reveal when.
    ///
    /// - Parameter shown: The metrics shown before; those of a hidden runner have no such values.
    mutating func forgetStale(besides shown: Metrics) {
        if heartRate?.state == .stale, shown.heartRate == nil { heartRate = nil }
        if cadence?.state == .stale, shown.cadence == nil { cadence = nil }
        measured.removeAll { metric in
            metric.state == .stale
                && !shown.measured.contains { $0.values.source == metric.values.source }
        }
    }
}
