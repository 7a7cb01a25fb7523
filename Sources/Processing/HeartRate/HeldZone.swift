import SensorModel

/// The zone that the runner is said to be in. It changes only once a heart rate has stayed in
/// another zone, so that one at a bound does not change it with each beat.
struct HeldZone: Sendable {
    struct Parameters: Sendable {
        /// Beats/min beyond the bound, and seconds there, after which the zone changes.
        var marginBeats = 2.0
        var marginSeconds = 5.0
        /// Seconds beyond the bound, by any margin.
        var seconds = 30.0
    }

    private let parameters = Parameters()
    private(set) var zone: Int?
    private var leftAt: Timestamp?
    private var clearlyLeftAt: Timestamp?

    /// - Parameters:
    ///   - beatsPerMinute: A shown heart rate.
    ///   - bounds: The zones' bounds.
    ///   - time: Time of the heart rate.
    /// - Returns: The zone before, if the zone changed. The first one is held at once.
    mutating func update(
        _ beatsPerMinute: Double, bounds: ZoneBounds, at time: Timestamp
    ) -> (from: Int?, to: Int)? {
        let new = bounds.zone(beatsPerMinute)
        guard let held = zone, held <= bounds.count else { return hold(new) }
        guard new != held else {
            (leftAt, clearlyLeftAt) = (nil, nil)
            return nil
        }
        let nearer = beatsPerMinute + (new > held ? -1 : 1) * parameters.marginBeats
        let isClear = bounds.zone(nearer) != held
        leftAt = leftAt ?? time
        clearlyLeftAt = isClear ? clearlyLeftAt ?? time : nil
        func hasPassed(_ seconds: Double, since start: Timestamp?) -> Bool {
            start.map { time.seconds(since: $0) >= seconds } ?? false
        }
        guard
            hasPassed(parameters.marginSeconds, since: clearlyLeftAt)
                || hasPassed(parameters.seconds, since: leftAt)
        else { return nil }
        return hold(new)
    }

    private mutating func hold(_ new: Int) -> (from: Int?, to: Int) {
        defer { (zone, leftAt, clearlyLeftAt) = (new, nil, nil) }
        return (zone, new)
    }
}
