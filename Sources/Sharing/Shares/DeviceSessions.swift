public import SensorModel

/// The sessions of each device, and the session that each share shows.
///
/// A share shows the newest live session of its device, else the last one that ended while the
/// share was valid. It never shows a session that ended before the share was made, nor one that was
/// imported. A share with a public name shows only a session that still goes on.
public struct DeviceSessions: Sendable {
    /// Sessions in the order of their start.
    private var spans: [DeviceID: [Span]] = [:]
    /// Former ends of the sessions that continued.
    private var pastEnds: [SessionID: PastEnds] = [:]
    private var ends = 0

    /// Ended sessions kept, enough for the longest delay, and as many that never came into view.
    public static let endedMax = 32

    public init() {}

    /// Adds a session that begins.
    ///
    /// - Parameters:
    ///   - session: A session of that device.
    ///   - device: The session's device.
    ///   - time: Arrival time of its first frame.
    ///   - isInView: `false`: no share with positions shows it before ``cameIntoView(_:of:at:)``;
    ///     `nil`: its records must be read first, see ``unresolved(by:at:)``.
    public mutating func began(
        _ session: SessionID, of device: DeviceID, at time: Timestamp, isInView: Bool? = true
    ) {
        addOrContinue(
            Span(
                session: session, began: time, cameIntoView: isInView == false ? nil : time,
                isViewKnown: isInView != nil),
            of: device, at: time)
        if isInView != false { shownAgain(session, of: device, at: time) }
    }

    /// Notes that a session continues that left memory, or was recorded before the start.
    ///
    /// - Parameters:
    ///   - session: A session of that device, known or not.
    ///   - device: The session's device.
    ///   - began: Arrival of its first record.
    ///   - over: Time at which silence ended it meanwhile; `nil` if no such end is known.
    ///   - time: Arrival clock.
    ///   - isInView: As for ``began(_:of:at:isInView:)``.
    public mutating func continued(
        _ session: SessionID, of device: DeviceID, began: Timestamp, overAt over: Timestamp?,
        at time: Timestamp, isInView: Bool
    ) {
        // Whether a forgotten session was over can only be read from the log.
        addOrContinue(
            Span(
                session: session, began: min(began, time), cameIntoView: isInView ? time : nil,
                isViewKnown: true, isEndKnown: false, overAt: over),
            of: device, at: time)
    }

    private mutating func addOrContinue(_ span: Span, of device: DeviceID, at time: Timestamp) {
        guard !span.session.isImported else { return }
        var known = spans[device] ?? []
        if let index = known.firstIndex(where: { $0.session == span.session }) {
            let end = known[index].markContinued(over: span.overAt)
            keep(end, isInView: false, of: &known[index], until: time)
        } else {
            // Appended, not sorted by time, since the clock may have been set back.
            known.append(span)
        }
        spans[device] = known
    }

    /// Notes that shares with positions show a continued session again. Until then it is over for
    /// them: the moment of the continuation would reveal the hidden path to its first visible point.
    ///
    /// - Parameters:
    ///   - session: A session, known or not.
    ///   - device: The session's device.
    ///   - offset: Offset of what they show now; `nil`: all. Something from before the end is no
    ///     sign of the continuation.
    ///   - time: Arrival clock.
    public mutating func shownAgain(
        _ session: SessionID, of device: DeviceID, through offset: RecordOffset? = nil,
        at time: Timestamp
    ) {
        guard let index = spans[device]?.firstIndex(where: { $0.session == session }),
            var span = spans[device]?[index], span.endedInView != nil
        else { return }
        let end = span.showAgain(through: offset)
        keep(end, isInView: true, of: &span, until: time)
        spans[device]?[index] = span
    }

    private mutating func keep(
        _ end: Span.End?, isInView: Bool, of span: inout Span, until time: Timestamp
    ) {
        guard let end else { return }
        span.hasPastEnds = true
        pastEnds[span.session, default: PastEnds()].add(end, isInView: isInView, until: time)
    }

    /// Notes the arrival of the session's first visible point; `nil`: it has none.
    ///
    /// Until then a share with positions shows the previous session: the start of a run would
    /// reveal the length of the hidden path to its first visible point.
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

    /// Stores the result of a reading, unless the session was seen live, or read, since the reading
    /// was requested.
    ///
    /// - Parameters:
    ///   - session: A session, known or not.
    ///   - device: The session's device.
    ///   - time: Arrival of the first record that a share with positions shows; `nil`: none.
    public mutating func resolve(
        _ session: SessionID, of device: DeviceID, cameIntoView time: Timestamp?
    ) {
        guard let index = spans[device]?.firstIndex(where: { $0.session == session }),
            let span = spans[device]?[index], !span.isViewKnown
        else { return }
        spans[device]?[index].isViewKnown = true
        spans[device]?[index].cameIntoView = time.map { max($0, span.began) }
    }

    /// Stores the end that a reading found.
    ///
    /// - Parameters:
    ///   - session: A session, known or not.
    ///   - device: The session's device.
    ///   - time: Time of its first end, even if it continued; `nil` if it did not end.
    public mutating func resolve(
        _ session: SessionID, of device: DeviceID, ended time: Timestamp?
    ) {
        guard let index = spans[device]?.firstIndex(where: { $0.session == session }),
            var span = spans[device]?[index], !span.isEndKnown
        else { return }
        span.isEndKnown = true
        span.noteOver(time.map { max($0, span.began) })
        if let over = span.overAt, let known = span.ended {
            span.ended?.time = min(known.time, over)
            span.endedInView = span.ended
        }
        spans[device]?[index] = span
    }

    /// Makes the views of the device's sessions uncertain after a change of privacy settings.
    public mutating func forgetViews(of device: DeviceID) {
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
    ///   - isInView: Whether shares with positions show the end now; else ``endedInView(_:of:at:)``
    ///     is called later.
    ///   - isCertain: `false` if only the arrival of the last record is known.
    public mutating func ended(
        _ session: SessionID, of device: DeviceID, at time: Timestamp, through last: RecordOffset,
        isInView: Bool = true, isCertain: Bool = true
    ) {
        guard var known = spans[device],
            let index = known.firstIndex(where: { $0.session == session })
        else { return }
        known[index].last = last
        // A later reading finds the end of a session by a crash again.
        if known[index].ended == nil {
            ends += 1
            known[index].ended = Span.End(time: time, rank: ends)
            known[index].isEndKnown = known[index].isEndKnown && isCertain
        }
        if isInView, known[index].endedInView == nil, let rank = known[index].ended?.rank {
            known[index].endedInView = Span.End(time: time, rank: rank)
        }
        // Sessions that never came into view evict none that shares with positions show.
        let wasInView = known[index].cameIntoView != nil
        func isAlike(_ span: Span) -> Bool {
            span.ended != nil && (span.cameIntoView != nil) == wasInView
        }
        if known.count(where: isAlike) > Self.endedMax,
            let oldest = known.firstIndex(where: isAlike)
        {
            pastEnds[known.remove(at: oldest).session] = nil
        }
        spans[device] = known
    }

    /// Notes that shares with positions show the end of a session. It may have ended before; or it
    /// goes on, and the runner has been hidden for long.
    public mutating func endedInView(
        _ session: SessionID, of device: DeviceID, at time: Timestamp
    ) {
        guard let index = spans[device]?.firstIndex(where: { $0.session == session }),
            let span = spans[device]?[index], span.endedInView == nil
        else { return }
        if span.ended == nil { ends += 1 }
        spans[device]?[index].endedInView = Span.End(time: time, rank: span.ended?.rank ?? ends)
    }

    /// - Returns: Whether a share may show the session.
    @discardableResult
    public mutating func erased(_ session: SessionID, of device: DeviceID) -> Bool {
        guard let index = spans[device]?.firstIndex(where: { $0.session == session }) else {
            return false
        }
        spans[device]?.remove(at: index)
        pastEnds[session] = nil
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
        for session in pastEnds.keys { pastEnds[session]?.move(byMicroseconds: -difference) }
    }

    /// - Parameters:
    ///   - share: A share of a device.
    ///   - now: Arrival clock; a delayed share sees the sessions of one delay earlier.
    /// - Returns: The session; `nil` if there is none that the share may show.
    public func session(shownBy share: Share, at now: Timestamp) -> SessionID? {
        guard let device = share.device, share.isActive(at: now) else { return nil }
        let seen = Self.time(seenBy: share, at: now)
        // A device begins sessions by the thousand while each of its shares asks: no array is made,
        // and a session under way, which is the newest as a rule, ends the search.
        var latest: (rank: Int, session: SessionID)?
        for span in (spans[device] ?? []).reversed() where span.isOpen(to: share, seenAt: seen) {
            if let end = end(of: span, inView: share.hidesPlaces, at: seen) {
                if latest.map({ $0.rank < end.rank }) ?? true { latest = (end.rank, span.session) }
            } else if latest == nil || end(of: span, inView: false, at: seen) == nil {
                // A viewer that saw a newer session end is not led back to one that is over.
                return span.session
            }
        }
        return share.publicName == nil ? latest?.session : nil
    }

    /// - Parameters:
    ///   - span: A session.
    ///   - inView: Whether the end is wanted as shares with positions see it.
    ///   - time: What a delayed share sees is of this time; `nil`: it is not delayed.
    /// - Returns: The end; `nil`: the session is live.
    private func end(of span: Span, inView: Bool, at time: Timestamp?) -> Span.End? {
        let end = inView ? span.endedInView : span.ended
        guard let time else { return end }
        if let end, end.time <= time { return end }
        guard span.hasPastEnds else { return nil }
        return pastEnds[span.session]?.end(isInView: inView, at: time)
    }

    /// A session whose records must be read before it is known what a share shows.
    public struct Unresolved: Sendable {
        public let session: SessionID
        /// Whether it must be read for an end before the share was made; otherwise for its view.
        public let isOfEnd: Bool
    }

    /// - Returns: The session that must be read to know whether the share shows it; `nil` if
    ///   ``session(shownBy:at:)`` is certain. Call ``resolve(_:of:cameIntoView:)`` and ask again: an
    ///   answer before that would reveal that the session is hidden.
    public func unresolved(by share: Share, at now: Timestamp) -> Unresolved? {
        // A share that was made before the session shows it whenever it ended.
        if let device = share.device, share.isActive(at: now),
            let uncertain = spans[device]?.last(where: { $0.isUncertain(for: share) })
        {
            return Unresolved(session: uncertain.session, isOfEnd: true)
        }
        guard share.hidesPlaces, let device = share.device,
            let shown = session(shownBy: share, at: now)
        else { return nil }
        let span = spans[device]?.first { $0.session == shown }
        return span?.isViewKnown == false ? Unresolved(session: shown, isOfEnd: false) : nil
    }

    /// The sessions that a reconnecting viewer may see, including those that are no longer shown.
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
        if share.publicName != nil { return shown.map { [$0] } ?? [] }
        return spans(openTo: share, at: now).filter { span in
            span.session == shown || span.last.map { $0 > offset } ?? true
        }.map(\.session)
    }

    private func spans(openTo share: Share, at now: Timestamp) -> [Span] {
        guard let device = share.device, share.isActive(at: now) else { return [] }
        let seen = Self.time(seenBy: share, at: now)
        // In their order, as sessions before a restart may be ahead of a clock that was set back.
        return (spans[device] ?? []).filter { $0.isOpen(to: share, seenAt: seen) }
    }

    /// - Returns: The time of what a delayed share shows now; `nil` if the share is not delayed.
    private static func time(seenBy share: Share, at now: Timestamp) -> Timestamp? {
        guard share.delaySeconds > 0 else { return nil }
        return now.advanced(byMicroseconds: -Int64(share.delaySeconds) * 1_000_000)
    }
}
