import SensorModel

/// Separates a clock that was set from time that passed, by the arrival of frames.
///
/// While a device sends live, its session time and the daemon's clock have the same pace. If
/// session time jumps and the frame arrives right after the last one, no time has passed. A backlog
/// or a recording comes at another pace and gives no information.
struct ArrivalRhythm: Sendable {
    struct Parameters: Sendable {
        /// Seconds at the same pace that are live.
        var liveSeconds = 60.0
        /// Largest delay of a frame in the buffers of the device and the network.
        var lagSlackSeconds = 10.0
        /// Largest time between two frames for a conclusion.
        var stepSecondsMax = 10.0
        /// Minimum jump, more than the difference of two delays.
        var leapSecondsMin = 20.0
    }

    private let parameters = Parameters()
    /// Arrival of the newest sample.
    private var newest: Timestamp?
    /// Start of the present pace.
    private var since = Timestamp(microseconds: .min)
    /// Delay of samples at that time; across two clocks, so of either sign.
    private var lagMicroseconds: Int64 = 0

    /// Notes a sample that advanced the session's time.
    ///
    /// - Parameters:
    ///   - time: Session time of the sample.
    ///   - arrival: Time of the daemon's clock; `nil`: unknown, as in a file.
    mutating func moved(to time: Timestamp, at arrival: Timestamp?) {
        guard let arrival else { return newest = nil }
        let lag = arrival.microseconds &- time.microseconds
        let slack = UInt64(parameters.lagSlackSeconds * 1e6)
        if let newest, (lag &- lagMicroseconds).magnitude <= slack {
            // A sample that was held for earlier ones arrived before they did.
            self.newest = max(newest, arrival)
            return
        }
        newest = arrival
        since = arrival
        lagMicroseconds = lag
    }

    /// - Parameter arrival: Arrival of a sample that has not advanced the session yet.
    /// - Returns: Seconds since the sample before; `nil` if the device does not send live.
    func secondsPassed(at arrival: Timestamp?) -> Double? {
        guard let arrival, let newest else { return nil }
        let step = arrival.seconds(since: newest)
        guard arrival.seconds(since: since) >= parameters.liveSeconds, step >= 0,
            step <= parameters.stepSecondsMax
        else { return nil }
        return step
    }

    /// Whether the clock was set: a live sample is too far ahead.
    func isLeap(ahead seconds: Double, at arrival: Timestamp?) -> Bool {
        secondsPassed(at: arrival).map { seconds - $0 > parameters.leapSecondsMin } ?? false
    }
}
