import SensorModel

/// RMSSD of the last beats: root mean square of successive differences (Task Force of the ESC,
/// 1996).
struct HeartRateVariability: Sendable {
    struct Parameters: Sendable {
        /// Number of beats used: half a minute.
        var beatsMax = 40
        /// Differences needed before a value is shown.
        var differencesMin = 8
        /// Relative difference from the preceding beat above which a beat was missed or is false
        /// (the 20 % rule of HRV editing).
        var artifactShare = 0.2
    }

    let parameters = Parameters()
    /// Squared differences, ms²; oldest first.
    private var squares: [Double] = []
    private var last: Double?

    mutating func add(_ intervals: [UInt16]) {
        for interval in intervals {
            let milliseconds = Double(interval) * 1000 / 1024
            defer { last = milliseconds }
            guard let last, last > 0,
                abs(milliseconds - last) <= parameters.artifactShare * last
            else { continue }
            if squares.count == parameters.beatsMax { squares.removeFirst() }
            squares.append((milliseconds - last) * (milliseconds - last))
        }
    }

    var rmssdMilliseconds: Double? {
        guard squares.count >= parameters.differencesMin else { return nil }
        return (squares.reduce(0, +) / Double(squares.count)).squareRoot()
    }
}
