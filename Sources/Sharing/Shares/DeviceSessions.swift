public import SensorModel

/// Which sessions each device has, and so which one a share shows.
///
/// A share follows its device: the newest live session, else the last one that ended while the
/// share was valid. What ended before the share was made it never shows.
public struct DeviceSessions: Sendable {
    private struct Span: Sendable {
        let session: SessionID
        var began: Timestamp
        /// When something of it could first be shown with positions; `nil`: not yet.
        var cameIntoView: Timestamp?
        /// `nil`: live.
        var ended: Timestamp?
        /// Counts ends; not by their times: the clock may have been set back between two.
        var endRank = 0
        /// Its last record; `nil` while it goes on.
        var last: RecordOffset?

        mutating func move(byMicroseconds difference: Int64) {
            began = began.advanced(byMicroseconds: difference)
            cameIntoView = cameIntoView?.advanced(byMicroseconds: difference)
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
    ///   - isInView: `false`: a share with positions shows nothing of it before
    ///     ``cameIntoView(_:of:at:)``.
    public mutating func began(
        _ session: SessionID, of device: DeviceID, at time: Timestamp, isInView: Bool = true
    ) {
        var known = spans[device] ?? []
        if let index = known.firstIndex(where: { $0.session == session }) {
            known[index].ended = nil
            known[index].last = nil
        } else {
            // Not placed by its time: the clock may have been set back since the last one.
            known.append(
                Span(session: session, began: time, cameIntoView: isInView ? time : nil))
        }
        spans[device] = known
    }

    /// The first point of a session that may be shown has come, or, `nil`, there is none.
    ///
    /// When a run began would tell how long the hidden way to its first point is: until then a share
    /// with positions shows what it showed before.
    public mutating func cameIntoView(
        _ session: SessionID, of device: DeviceID, at time: Timestamp?
    ) {
        guard let index = spans[device]?.firstIndex(where: { $0.session == session }) else {
            return
        }
        let known = spans[device]?[index].cameIntoView
        spans[device]?[index].cameIntoView = time.map { known ?? $0 }
    }

    /// Call in the order in which sessions ended.
    ///
    /// - Parameters:
    ///   - session: Known or not.
    ///   - device: Whose it is.
    ///   - time: Arrival time of its end.
    ///   - last: Its last record.
    public mutating func ended(
        _ session: SessionID, of device: DeviceID, at time: Timestamp, through last: RecordOffset
    ) {
        guard var known = spans[device],
            let index = known.firstIndex(where: { $0.session == session })
        else { return }
        known[index].last = last
        // One that a crash ended is found to be over once more when somebody looks at it.
        if known[index].ended == nil {
            ends += 1
            known[index].ended = time
            known[index].endRank = ends
        }
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
        let shown = spans(openTo: share, at: now)
        guard share.delaySeconds > 0 else {
            return (shown.last { $0.ended == nil } ?? Self.lastEnded(shown))?.session
        }
        let seen = Self.time(seenBy: share, at: now)
        let live = shown.last { $0.ended.map { $0 > seen } ?? true }
        return (live ?? Self.lastEnded(shown))?.session
    }

    /// What a viewer may be told of who comes back: also of sessions that are not shown any more.
    ///
    /// - Parameters:
    ///   - share: Of a device.
    ///   - offset: What the viewer has seen.
    ///   - now: Arrival clock.
    /// - Returns: Those with records after it, in the order they began.
    public func sessions(
        openTo share: Share, after offset: RecordOffset, at now: Timestamp
    ) -> [SessionID] {
        // What is told of a session after its end comes after its last record.
        let shown = session(shownBy: share, at: now)
        return spans(openTo: share, at: now).filter { span in
            span.session == shown || span.last.map { $0 > offset } ?? true
        }.map(\.session)
    }

    private func spans(openTo share: Share, at now: Timestamp) -> [Span] {
        guard let device = share.device, share.isActive(at: now) else { return [] }
        let known = spans[device] ?? []
        // By order alone: sessions of before a restart may lie ahead of a clock set back.
        let shown = known.filter { $0.ended.map { $0 >= share.createdAt } ?? true }
        let isPlaced = share.obeysPrivacy
        guard isPlaced || share.delaySeconds > 0 else { return shown }
        let seen = share.delaySeconds > 0 ? Self.time(seenBy: share, at: now) : nil
        return shown.filter { span in
            guard let start = isPlaced ? span.cameIntoView : span.began else { return false }
            return seen.map { start <= $0 } ?? true
        }
    }

    private static func time(seenBy share: Share, at now: Timestamp) -> Timestamp {
        now.advanced(byMicroseconds: -Int64(share.delaySeconds) * 1_000_000)
    }

    private static func lastEnded(_ spans: [Span]) -> Span? {
        spans.max { $0.endRank < $1.endRank }
    }
}
