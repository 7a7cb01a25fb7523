public import SensorModel

/// Which sessions each device has, and so which one a share shows.
///
/// A share follows its device: the newest live session, else the last one that ended while the
/// share was valid. What ended before the share was made it never shows.
public struct DeviceSessions: Sendable {
    private struct Span: Sendable {
        let session: SessionID
        let began: Timestamp
        /// `nil`: live.
        var ended: Timestamp?
    }

    /// In the order they began.
    private var spans: [DeviceID: [Span]] = [:]

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
            let place = known.firstIndex { $0.began > time } ?? known.endIndex
            known.insert(Span(session: session, began: time, ended: nil), at: place)
        }
        spans[device] = known
    }

    /// - Parameters:
    ///   - session: Known or not.
    ///   - device: Whose it is.
    ///   - time: Arrival time of its end.
    public mutating func ended(_ session: SessionID, of device: DeviceID, at time: Timestamp) {
        guard var known = spans[device],
            let index = known.firstIndex(where: { $0.session == session })
        else { return }
        known[index].ended = time
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

    /// - Parameters:
    ///   - share: Of a device.
    ///   - now: Arrival clock; a delayed share sees the sessions as they were its delay ago.
    /// - Returns: `nil` when there is nothing the share may show.
    public func session(shownBy share: Share, at now: Timestamp) -> SessionID? {
        guard let device = share.device, share.isActive(at: now) else { return nil }
        let seen = now.advanced(byMicroseconds: -Int64(share.delaySeconds) * 1_000_000)
        let begun = (spans[device] ?? []).filter { span in
            guard let ended = span.ended else { return span.began <= seen }
            return span.began <= seen && ended >= share.createdAt
        }
        if let live = begun.last(where: { $0.ended.map { $0 > seen } ?? true }) {
            return live.session
        }
        return begun.max { ($0.ended ?? $0.began) < ($1.ended ?? $1.began) }?.session
    }
}
