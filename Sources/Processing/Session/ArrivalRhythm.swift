import SensorModel

/// Tells a clock that was set from time that passed, by when frames arrived.
///
/// While a device sends live, its session time and the daemon's clock go on at the same pace. Where
/// session time leaps and the frame came right after the last one, nobody ran in between. A backlog
/// or a recording comes at another pace and says nothing.
struct ArrivalRhythm: Sendable {
    struct Parameters: Sendable {
        /// At the same pace for so long is live.
        var liveSeconds = 60.0
        /// Buffers of a device and of the network hold a frame up by no more.
        var lagSlackSeconds = 10.0
        /// Two frames that come farther apart may have anything between them.
        var stepSecondsMax = 10.0
        /// More than two lags that differ.
        var leapSecondsMin = 20.0
    }

    private let parameters = Parameters()
    /// When the newest sample came.
    private var newest: Timestamp?
    /// Since when the pace has been the same.
    private var since = Timestamp(microseconds: .min)
    /// By which samples were late then; by another clock, so of either sign.
    private var lagMicroseconds: Int64 = 0

    /// A sample moved the session's time on.
    ///
    /// - Parameters:
    ///   - time: Session time of the sample.
    ///   - arrival: By the daemon's clock; `nil`: not known, as in a file.
    mutating func moved(to time: Timestamp, at arrival: Timestamp?) {
        guard let arrival else { return newest = nil }
        let lag = arrival.microseconds &- time.microseconds
        let slack = UInt64(parameters.lagSlackSeconds * 1e6)
        if let newest, (lag &- lagMicroseconds).magnitude <= slack {
            // One that waited for those before it came earlier than they did.
            self.newest = max(newest, arrival)
            return
        }
        newest = arrival
        since = arrival
        lagMicroseconds = lag
    }

    /// - Parameter arrival: Of a sample that has not moved the session yet.
    /// - Returns: Seconds since the sample before; `nil` where the device does not send live.
    func secondsPassed(at arrival: Timestamp?) -> Double? {
        guard let arrival, let newest else { return nil }
        let step = arrival.seconds(since: newest)
        guard arrival.seconds(since: since) >= parameters.liveSeconds, step >= 0,
            step <= parameters.stepSecondsMax
        else { return nil }
        return step
    }

    /// Whether a sample that is so far ahead was stamped by a clock that has been set.
    func isLeap(ahead seconds: Double, at arrival: Timestamp?) -> Bool {
        secondsPassed(at: arrival).map { seconds - $0 > parameters.leapSecondsMin } ?? false
    }
}
