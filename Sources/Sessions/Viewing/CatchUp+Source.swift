package import SegmentLog
package import SensorModel
package import Sharing

extension CatchUp {
    /// One runner's share, and the range of its events that may be sent.
    package struct Source: Sendable {
        package let share: Share
        package let privacy: PrivacySettings
        /// Sessions with records after the cursor.
        package let sessions: [SessionID]
        /// The last record; the feed continues after it.
        package let end: RecordOffset
        /// Seconds by which the source is held back in addition to its share's delay, so that the
        /// members of a group come in one order.
        package var secondsLate = 0.0

        package init(
            share: Share, privacy: PrivacySettings, sessions: [SessionID], end: RecordOffset
        ) {
            self.share = share
            self.privacy = privacy
            self.sessions = sessions
            self.end = end
        }

        package var rule: ProjectionRule {
            ProjectionRule(share, privacy: privacy)
        }

        /// Whether it may show some of the session, as far as the catalog can tell.
        package func mayShow(_ summary: SessionSummary) -> Bool {
            guard share.publicName == nil || sessions.contains(summary.session) else {
                return false
            }
            return summary.arrivalTimes.upperBound >= share.createdAt
                && !summary.session.isImported
        }

        /// The latest arrival that may be shown; `nil`: any.
        package func shownArrivals(at now: Timestamp) -> Timestamp? {
            let delayed = share.shownArrivals(at: now)
            guard secondsLate > 0 else { return delayed }
            let late = now.advanced(bySeconds: -secondsLate)
            return delayed.map { min($0, late) } ?? late
        }
    }

    /// Seconds by which all members of a group are held back, so that cursors rise: the longest
    /// delay of their trimmed finishes if these differ, else 0.
    package static func secondsLate(of rules: [ProjectionRule]) -> Double {
        let late = rules.map(\.secondsLate)
        guard let shortest = late.min(), let longest = late.max(), shortest < longest else {
            return 0
        }
        return longest
    }
}
