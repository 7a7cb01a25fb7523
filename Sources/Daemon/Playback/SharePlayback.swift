import SensorModel

/// A recorded session that the owner plays to everybody who watches a share.
///
/// It lasts as long as the command that began it says so: a lease runs out, so that a command that
/// was killed leaves nobody watching an endless loop.
struct SharePlayback: Hashable, Sendable {
    /// Seconds of the arrival clock for which one renewal holds.
    static let leaseSeconds = 15.0
    /// Times as fast as recorded; a viewer's browser cannot take in more.
    static let speedRange = 0.05...1000.0

    let session: SessionID
    /// Device times.
    let times: ClosedRange<Timestamp>
    let speed: Double
    let loops: Bool
    /// Arrival clock.
    let startedAt: Timestamp
    var leaseEnd: Timestamp

    /// - Parameter now: Arrival clock.
    /// - Returns: The device time that is shown now; `nil` when the playback is over.
    func position(at now: Timestamp) -> Timestamp? {
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
    var durationSeconds: Double { times.upperBound.seconds(since: times.lowerBound) / speed }
}
