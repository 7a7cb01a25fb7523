public import SensorModel

/// Which sessions each device has, and so which one a share shows.
///
/// A share follows its device: the newest live session, else the last one that ended while the
/// share was valid. What ended before the share was made it never shows.
public struct DeviceSessions: Sendable {
    private struct Span: Sendable {
        let session: SessionID
        var began: Timestamp
        /// `nil`: live.
        var ended: Timestamp?
        /// Counts ends; not by their times: the clock may have been set back between two.
        var endRank = 0

        mutating func move(byMicroseconds difference: Int64) {
            began = began.advanced(byMicroseconds: difference)
            ended = ended?.advanced(byMicroseconds: difference)
        }
    }

    /// In the order they began.
    private var spans: [DeviceID: [Span]] = [:]
    private var ends = 0

    /// Enough for the longest delay to find the session of then; older ones no share can reach.
    private static let endedMax = 32

    public init() {}

    /// Also of a session that had ended and goes on.
    ///
    /// - Parameters:
    ///   - session: Of that device.
    ///   - device: Whose it is.
    ///   - time: Arrival time of its first frame.
    public mutating func began(_ session: SessionID, of device: DeviceID, at time: Timestamp) {
        var known = spans[device] ?? []
        if let index = known.firstIndex(where: { $0.session == session }) {
            known[index].ended = nil
        } else {
            // Not placed by its time: the clock may have been set back since the last one.
            known.append(Span(session: session, began: time, ended: nil))
        }
        spans[device] = known
    }

    /// Call in the order in which sessions ended.
    ///
    /// - Parameters:
    ///   - session: Known or not.
    ///   - device: Whose it is.
    ///   - time: Arrival time of its end.
    public mutating func ended(_ session: SessionID, of device: DeviceID, at time: Timestamp) {
        guard var known = spans[device],
            let index = known.firstIndex(where: { $0.session == session })
        else { return }
        ends += 1
        known[index].ended = time
        known[index].endRank = ends
        if known.count(where: { $0.ended != nil }) > Self.endedMax,
            let oldest = known.firstIndex(where: { $0.ended != nil })
        {
            known.remove(at: oldest)
        }
        spans[device] = known
    }

    public mutating func erased(_ session: SessionID, of device: DeviceID) {
        spans[device]?.removeAll { $0.session == session }
        if spans[device]?.isEmpty == true { spans[device] = nil }
    }

    public mutating func erasedAll(of device: DeviceID) {
        spans[device] = nil
    }

    /// The arrival clock was set back: what has been stays as long ago as it was.
    public mutating func clockWentBack(byMicroseconds difference: Int64) {
        for device in spans.keys {
            for index in spans[device]?.indices ?? 0..<0 {
                spans[device]?[index].move(byMicroseconds: -difference)
            }
        }
    }

    /// - Parameters:
    ///   - share: Of a device.
    ///   - now: Arrival clock; a delayed share sees the sessions as they were its delay ago.
    /// - Returns: `nil` when there is nothing the share may show.
    public func session(shownBy share: Share, at now: Timestamp) -> SessionID? {
        guard let device = share.device, share.isActive(at: now) else { return nil }
        let known = spans[device] ?? []
        guard share.delaySeconds > 0 else {
            // By order alone: sessions of before a restart may lie ahead of a clock set back.
            let shown = known.filter { $0.ended.map { $0 >= share.createdAt } ?? true }
            return (shown.last { $0.ended == nil } ?? Self.lastEnded(shown))?.session
        }
        let seen = now.advanced(byMicroseconds: -Int64(share.delaySeconds) * 1_000_000)
        let shown = known.filter { span in
            span.began <= seen && span.ended.map { $0 >= share.createdAt } ?? true
        }
        let live = shown.last { $0.ended.map { $0 > seen } ?? true }
        return (live ?? Self.lastEnded(shown))?.session
    }

    private static func lastEnded(_ spans: [Span]) -> Span? {
        spans.max { $0.endRank < $1.endRank }
    }
}
