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

        /// An end and the time at which it was no longer one.
        private struct PastEnd {
            var end: End
            var until: Timestamp
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
        private var lastBefore: RecordOffset?
        /// Former values of ``ended`` and ``endedInView``, which delayed shares still see; the
        /// oldest first.
        private var past: (ends: [PastEnd], endsInView: [PastEnd]) = ([], [])

        /// Ends of each kind that are remembered. A session that continues more often within a
        /// share's delay is live for that share a little too early.
        private static let pastMax = 8

        init(
            session: SessionID, began: Timestamp, cameIntoView: Timestamp?, isViewKnown: Bool,
            isEndKnown: Bool = true, overAt: Timestamp? = nil
        ) {
            self.session = session
            self.began = began
            self.cameIntoView = cameIntoView
            self.isViewKnown = isViewKnown
            self.isEndKnown = isEndKnown
            self.overAt = overAt
        }

        mutating func move(byMicroseconds difference: Int64) {
            began = began.advanced(byMicroseconds: difference)
            cameIntoView = cameIntoView?.advanced(byMicroseconds: difference)
            ended?.move(byMicroseconds: difference)
            endedInView?.move(byMicroseconds: difference)
            overAt = overAt?.advanced(byMicroseconds: difference)
            for kind in [\Span.past.ends, \Span.past.endsInView] {
                for index in self[keyPath: kind].indices {
                    self[keyPath: kind][index].end.move(byMicroseconds: difference)
                    self[keyPath: kind][index].until = self[keyPath: kind][index].until
                        .advanced(byMicroseconds: difference)
                }
            }
        }

        /// Whether it was over when the share was made.
        func wasOver(for share: Share) -> Bool {
            [ended?.time, overAt].contains { $0.map { $0 < share.createdAt } ?? false }
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
        /// - Parameters:
        ///   - time: Arrival clock.
        ///   - over: Time at which it was over, if known.
        mutating func goOn(at time: Timestamp, over: Timestamp?) {
            Self.keep(ended, in: &past.ends, until: time)
            ended = nil
            lastBefore = last ?? lastBefore
            last = nil
            noteOver(over)
        }

        /// Ends the end that shares with positions see, if they are shown something behind it.
        ///
        /// - Parameters:
        ///   - offset: Offset of what they are shown; `nil`: all.
        ///   - time: Arrival clock.
        mutating func showAgain(through offset: RecordOffset?, at time: Timestamp) {
            guard ended == nil else { return }
            if let offset, let lastBefore, offset <= lastBefore { return }
            Self.keep(endedInView, in: &past.endsInView, until: time)
            endedInView = nil
        }

        private static func keep(_ end: End?, in past: inout [PastEnd], until time: Timestamp) {
            guard let end else { return }
            past.append(PastEnd(end: end, until: time))
            if past.count > pastMax { past.removeFirst() }
        }

        /// Finds the end as a share sees it.
        ///
        /// - Parameters:
        ///   - share: A share of the device.
        ///   - time: What a delayed share sees is of this time; `nil`: it is not delayed.
        /// - Returns: The end; `nil`: the session is live.
        func end(seenBy share: Share, at time: Timestamp?) -> End? {
            share.obeysPrivacy
                ? Self.end(endedInView, past.endsInView, at: time)
                : Self.end(ended, past.ends, at: time)
        }

        /// Whether it has ended, shown or not; `time` as above.
        func hasEnded(at time: Timestamp?) -> Bool {
            Self.end(ended, past.ends, at: time) != nil
        }

        private static func end(_ end: End?, _ past: [PastEnd], at time: Timestamp?) -> End? {
            guard let time else { return end }
            if let end, end.time <= time { return end }
            return past.last { $0.end.time <= time && time < $0.until }?.end
        }
    }
}
