import SensorModel

/// Distinguishes a clock that was set from time that passed, by the arrival of frames.
///
/// While a device sends live, its session time and the daemon's clock advance at the same pace. If
/// session time jumps but the frame arrives right after the last one, no time has passed. A backlog
/// or recording has another pace and gives no information.
struct ArrivalRhythm: Sendable {
    struct Parameters: Sendable {
        /// Seconds at the same pace after which a device counts as live.
        var liveSeconds = 60.0
        /// Largest delay of a frame in the buffers of the device and the network.
        var lagSlackSeconds = 10.0
        /// Largest time between two frames for a conclusion.
        var stepSecondsMax = 10.0
        /// Minimum jump that means the clock was set; more than the difference of two delays.
        var leapSecondsMin = 20.0
    }

    private let parameters = Parameters()
    /// Arrival of the newest sample.
    private var newest: Timestamp?
    /// Arrival at which the present pace began.
    private var since = Timestamp(microseconds: .min)
    /// Arrival minus session time at `since`. The two clocks differ, so it has either sign.
    private var lagMicroseconds: Int64 = 0

    /// Records a sample that advanced the session's time.
    ///
    /// - Parameters:
    ///   - time: Session time of the sample.
    ///   - arrival: Time by the daemon's clock; `nil` if unknown, for example in a file.
    mutating func moved(to time: Timestamp, at arrival: Timestamp?) {
        guard let arrival else { return newest = nil }
        let lag = arrival.microseconds &- time.microseconds
        let slack = UInt64(parameters.lagSlackSeconds * 1e6)
        if let newest, (lag &- lagMicroseconds).magnitude <= slack {
            // A sample that was held back for earlier ones arrived before they did.
            self.newest = max(newest, arrival)
            return
        }
        newest = arrival
        since = arrival
        lagMicroseconds = lag
    }

    /// - Parameter arrival: Arrival of a sample that has not advanced the session yet.
    /// - Returns: Seconds since the previous sample; `nil` if the device does not send live.
    func secondsPassed(at arrival: Timestamp?) -> Double? {
        guard let arrival, let newest else { return nil }
        let step = arrival.seconds(since: newest)
        guard arrival.seconds(since: since) >= parameters.liveSeconds, step >= 0,
            step <= parameters.stepSecondsMax
        else { return nil }
        return step
    }

    /// Returns whether the clock was set: a live sample is too far ahead.
    func isLeap(ahead seconds: Double, at arrival: Timestamp?) -> Bool {
        secondsPassed(at: arrival).map { seconds - $0 > parameters.leapSecondsMin } ?? false
    }
}
