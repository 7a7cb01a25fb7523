public import SensorModel

/// The sessions of each device, and the session that each share shows.
///
/// A share shows the newest live session of its device, else the last one that ended while the
/// share was valid. It never shows a session that ended before the share was made.
public struct DeviceSessions: Sendable {
    private struct Span: Sendable {
        let session: SessionID
        var began: Timestamp
        /// Time at which shares with positions could first show a part of it; `nil`: not yet.
        var cameIntoView: Timestamp?
        /// Whether ``cameIntoView`` is certain.
        var isViewKnown: Bool
        /// End; `nil`: live.
        var ended: Timestamp?
        /// Number of the end, in order. Times of ends may not be in order, since the clock may be
        /// set back.
        var endRank = 0
        /// Its last record; `nil` while it continues.
        var last: RecordOffset?

        mutating func move(byMicroseconds difference: Int64) {
            began = began.advanced(byMicroseconds: difference)
            cameIntoView = cameIntoView?.advanced(byMicroseconds: difference)
            ended = ended?.advanced(byMicroseconds: difference)
        }
    }

    /// Sessions in the order of their start.
    private var spans: [DeviceID: [Span]] = [:]
    private var ends = 0

    /// Enough sessions for the longest delay; no share can reach older ones. As many again that
    /// never came into view.
    public static let endedMax = 32

    public init() {}

    /// Adds a session, also one that ended and continues.
    ///
    /// - Parameters:
    ///   - session: A session of that device.
    ///   - device: The session's device.
    ///   - time: Arrival time of its first frame.
    ///   - isInView: `false`: a share with positions shows nothing of it before
    ///     ``cameIntoView(_:of:at:)``. `nil`: its records must be read first, see
    ///     ``unsettled(by:at:)``.
    public mutating func began(
        _ session: SessionID, of device: DeviceID, at time: Timestamp, isInView: Bool? = true
    ) {
        var known = spans[device] ?? []
        if let index = known.firstIndex(where: { $0.session == session }) {
            known[index].ended = nil
            known[index].last = nil
        } else {
            // Appended, not placed by time: the clock may have been set back since the last one.
            known.append(
                Span(
                    session: session, began: time, cameIntoView: isInView == false ? nil : time,
                    isViewKnown: isInView != nil))
        }
        spans[device] = known
    }

    /// Notes the arrival of the session's first visible point; `nil`: it has none.
    ///
    /// The start of a run would reveal the length of the hidden path to its first visible point.
    /// Until then a share with positions shows the session before.
    public mutating func cameIntoView(
        _ session: SessionID, of device: DeviceID, at time: Timestamp?
    ) {
        guard let index = spans[device]?.firstIndex(where: { $0.session == session }) else {
            return
        }
        guard let span = spans[device]?[index] else { return }
        let known = span.isViewKnown ? span.cameIntoView : nil
        spans[device]?[index].cameIntoView = time.map { known ?? $0 }
        spans[device]?[index].isViewKnown = true
    }

    /// Notes what a reading found, unless the session was seen live, or read, since it was asked
    /// for.
    ///
    /// - Parameters:
    ///   - session: A session, known or not.
    ///   - device: The session's device.
    ///   - time: Arrival of what a share with positions shows first of it; `nil`: it shows nothing.
    public mutating func settle(
        _ session: SessionID, of device: DeviceID, cameIntoView time: Timestamp?
    ) {
        guard let index = spans[device]?.firstIndex(where: { $0.session == session }),
            let span = spans[device]?[index], !span.isViewKnown
        else { return }
        spans[device]?[index].isViewKnown = true
        spans[device]?[index].cameIntoView = time.map { max($0, span.began) }
    }

    /// After a change of the owner's privacy settings other sessions may be in view.
    public mutating func unsettle(_ device: DeviceID) {
        for index in spans[device]?.indices ?? 0..<0 {
            guard let span = spans[device]?[index] else { continue }
            spans[device]?[index].cameIntoView = span.cameIntoView ?? span.began
            spans[device]?[index].isViewKnown = false
        }
    }

    /// Notes the end of a session. Call it in the order of the ends.
    ///
    /// - Parameters:
    ///   - session: A session, known or not.
    ///   - device: The session's device.
    ///   - time: Arrival time of its end.
    ///   - last: Its last record.
    public mutating func ended(
        _ session: SessionID, of device: DeviceID, at time: Timestamp, through last: RecordOffset
    ) {
        guard var known = spans[device],
            let index = known.firstIndex(where: { $0.session == session })
        else { return }
        known[index].last = last
        // The end of a session by a crash is found again at a later reading.
        if known[index].ended == nil {
            ends += 1
            known[index].ended = time
            known[index].endRank = ends
        }
        // Those that never came into view push out none that a share with positions shows.
        let wasInView = known[index].cameIntoView != nil
        func isAlike(_ span: Span) -> Bool {
            span.ended != nil && (span.cameIntoView != nil) == wasInView
        }
        if known.count(where: isAlike) > Self.endedMax,
            let oldest = known.firstIndex(where: isAlike)
        {
            known.remove(at: oldest)
        }
        spans[device] = known
    }

    /// - Returns: Whether a share may show the session.
    @discardableResult
    public mutating func erased(_ session: SessionID, of device: DeviceID) -> Bool {
        guard let index = spans[device]?.firstIndex(where: { $0.session == session }) else {
            return false
        }
        spans[device]?.remove(at: index)
        if spans[device]?.isEmpty == true { spans[device] = nil }
        return true
    }

    /// Moves times after the arrival clock was set back, so that their ages stay the same.
    public mutating func clockWentBack(byMicroseconds difference: Int64) {
        for device in spans.keys {
            for index in spans[device]?.indices ?? 0..<0 {
                spans[device]?[index].move(byMicroseconds: -difference)
            }
        }
    }

    /// - Parameters:
    ///   - share: A share of a device.
    ///   - now: Time of the arrival clock; a delayed share sees the sessions of one delay earlier.
    /// - Returns: The session; `nil` if there is none that the share may show.
    public func session(shownBy share: Share, at now: Timestamp) -> SessionID? {
        let shown = spans(openTo: share, at: now)
        guard share.delaySeconds > 0 else {
            return (shown.last { $0.ended == nil } ?? Self.lastEnded(shown))?.session
        }
        let seen = Self.time(seenBy: share, at: now)
        let live = shown.last { $0.ended.map { $0 > seen } ?? true }
        return (live ?? Self.lastEnded(shown))?.session
    }

    /// The session whose records must be read before it is known whether the share shows it: without
    /// them an answer would tell that the newest session is hidden.
    ///
    /// - Returns: `nil`: ``session(shownBy:at:)`` is certain. Else call
    ///   ``settle(_:of:cameIntoView:)`` and ask again.
    public func unsettled(by share: Share, at now: Timestamp) -> SessionID? {
        guard share.obeysPrivacy, let device = share.device,
            let shown = session(shownBy: share, at: now)
        else { return nil }
        let span = spans[device]?.first { $0.session == shown }
        return span?.isViewKnown == false ? shown : nil
    }

    /// The sessions that a reconnecting viewer may see, also those that are no longer shown.
    ///
    /// - Parameters:
    ///   - share: A share of a device.
    ///   - offset: Offset of the viewer's last record.
    ///   - now: Time of the arrival clock.
    /// - Returns: Sessions with later records, in the order of their start.
    public func sessions(
        openTo share: Share, after offset: RecordOffset, at now: Timestamp
    ) -> [SessionID] {
        // Events after a session's end come after its last record.
        let shown = session(shownBy: share, at: now)
        return spans(openTo: share, at: now).filter { span in
            span.session == shown || span.last.map { $0 > offset } ?? true
        }.map(\.session)
    }

    private func spans(openTo share: Share, at now: Timestamp) -> [Span] {
        guard let device = share.device, share.isActive(at: now) else { return [] }
        let known = spans[device] ?? []
        // Order decides, not time: sessions before a restart may be ahead of a clock that was set
        // back.
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
