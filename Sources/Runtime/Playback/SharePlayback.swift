package import SensorModel

/// A recorded session that the owner plays to all viewers of a share.
///
/// It lasts as long as the command renews its lease. A lease expires, so that a killed command
/// leaves no endless loop behind.
package struct SharePlayback: Hashable, Sendable {
    /// Validity of one renewal, seconds of the arrival clock.
    package static let leaseSeconds = 15.0
    /// Multiple of the recorded speed; browsers of viewers cannot process more.
    package static let speedRange = 0.05...1000.0

    package let session: SessionID
    /// Range of device times.
    package let times: ClosedRange<Timestamp>
    package let speed: Double
    package let loops: Bool
    /// Start, arrival clock.
    package let startedAt: Timestamp
    package var leaseEnd: Timestamp

    package init(
        session: SessionID, times: ClosedRange<Timestamp>, speed: Double, loops: Bool,
        startedAt: Timestamp, leaseEnd: Timestamp
    ) {
        self.session = session
        self.times = times
        self.speed = speed
        self.loops = loops
        self.startedAt = startedAt
        self.leaseEnd = leaseEnd
    }

    /// - Parameter now: Arrival clock.
    /// - Returns: The device time that is shown now; `nil` when the playback is over.
    package func position(at now: Timestamp) -> Timestamp? {
        guard now < leaseEnd else { return nil }
        let length = times.upperBound.seconds(since: times.lowerBound)
        var shown = max(0, now.seconds(since: startedAt)) * speed
        if shown > length {
            guard loops, length > 0 else { return nil }
            shown.formTruncatingRemainder(dividingBy: length)
        }
        return times.lowerBound.advanced(bySeconds: shown)
    }

    /// Seconds of the arrival clock from the first value to the last.
    package var durationSeconds: Double {
        times.upperBound.seconds(since: times.lowerBound) / speed
    }
}
