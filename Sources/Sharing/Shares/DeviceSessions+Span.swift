import SensorModel

extension DeviceSessions {
    /// What is known of a session.
    struct Span: Sendable {
        /// An end as some shares see it.
        struct End {
            var time: Timestamp
            /// Position in the order of ends. Their times may be out of order, since the clock may
            /// be set back.
            let rank: Int

            mutating func move(byMicroseconds difference: Int64) {
                time = time.advanced(byMicroseconds: difference)
            }
        }

        let session: SessionID
        var began: Timestamp
        /// Time at which shares with positions could first show a part of it; `nil`: not yet.
        var cameIntoView: Timestamp?
        /// Whether ``cameIntoView`` is certain.
        var isViewKnown: Bool
        /// End; `nil`: live.
        var ended: End?
        /// End as shares with positions see it: that of a hidden session comes later, and that of a
        /// runner who was hidden for long earlier.
        var endedInView: End?
        /// Whether the ends are certain. If not, ``ended`` is the arrival of the last record,
        /// perhaps a late one, or ``overAt`` of a continuing session is unknown.
        var isEndKnown = true
        /// Time of its first end before it continued. A share that was made later does not show it.
        var overAt: Timestamp?
        /// Its last record; `nil` while it continues.
        var last: RecordOffset?
        /// Its last record before it continued.
        var lastBefore: RecordOffset?
        /// Whether ``DeviceSessions`` keeps former ends of it. They are not here, because spans are
        /// copied for each share and update, and few sessions have one.
        var hasPastEnds = false

        mutating func move(byMicroseconds difference: Int64) {
            began = began.advanced(byMicroseconds: difference)
            cameIntoView = cameIntoView?.advanced(byMicroseconds: difference)
            ended?.move(byMicroseconds: difference)
            endedInView?.move(byMicroseconds: difference)
            overAt = overAt?.advanced(byMicroseconds: difference)
        }

        /// Whether it was over when the share was made.
        func wasOver(for share: Share) -> Bool {
            func isBefore(_ time: Timestamp?) -> Bool { time.map { $0 < share.createdAt } ?? false }
            return isBefore(ended?.time) || isBefore(overAt)
        }

        /// - Parameters:
        ///   - share: A valid share of the device.
        ///   - time: The time of what a delayed share shows; `nil`: it is not delayed.
        /// - Returns: Whether the share may show it, now or to a viewer that comes back.
        func isOpen(to share: Share, seenAt time: Timestamp?) -> Bool {
            guard !isUncertain(for: share), !wasOver(for: share),
                let start = share.hidesPlaces ? cameIntoView : began
            else { return false }
            return time.map { start <= $0 } ?? true
        }

        /// Whether it is unknown if the session was over when the share was made.
        func isUncertain(for share: Share) -> Bool {
            !isEndKnown && began < share.createdAt && !wasOver(for: share)
        }

        mutating func noteOver(_ time: Timestamp?) {
            overAt = time.map { min($0, overAt ?? $0) } ?? overAt
        }

        /// Continues after an end, if it has one.
        ///
        /// - Parameter over: Time at which it was over, if known.
        /// - Returns: The end that is none any more.
        mutating func markContinued(over: Timestamp?) -> End? {
            defer { ended = nil }
            lastBefore = last ?? lastBefore
            last = nil
            noteOver(over)
            return ended
        }

        /// Ends the end that shares with positions see, if they are shown something behind it.
        ///
        /// - Parameter offset: Offset of what they are shown; `nil`: all.
        /// - Returns: The end that is none any more.
        mutating func showAgain(through offset: RecordOffset?) -> End? {
            guard ended == nil else { return nil }
            if let offset, let lastBefore, offset <= lastBefore { return nil }
            defer { endedInView = nil }
            return endedInView
        }
    }

    /// The former ends of a session, which delayed shares still see; the oldest first.
    struct PastEnds: Sendable {
        /// An end and the time at which it was no longer one.
        private struct PastEnd {
            var end: Span.End
            var until: Timestamp
        }

        /// Ends of each kind that are remembered. A session that continues more often within a
        /// share's delay is live for that share a little too early.
        private static let countMax = 8

        /// Former values of ``Span/ended`` and ``Span/endedInView``.
        private var (ends, endsInView): ([PastEnd], [PastEnd]) = ([], [])

        mutating func add(_ end: Span.End, isInView: Bool, until time: Timestamp) {
            let past = PastEnd(end: end, until: time)
            if isInView {
                endsInView = (endsInView + [past]).suffix(Self.countMax)
            } else {
                ends = (ends + [past]).suffix(Self.countMax)
            }
        }

        /// - Returns: The end at a time; `nil`: there was none.
        func end(isInView: Bool, at time: Timestamp) -> Span.End? {
            (isInView ? endsInView : ends).last { $0.end.time <= time && time < $0.until }?.end
        }

        mutating func move(byMicroseconds difference: Int64) {
            func moved(_ past: PastEnd) -> PastEnd {
                var past = past
                past.end.move(byMicroseconds: difference)
                past.until = past.until.advanced(byMicroseconds: difference)
                return past
            }
            (ends, endsInView) = (ends.map(moved), endsInView.map(moved))
        }
    }
}
