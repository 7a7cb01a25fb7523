import Ingest
import SegmentLog
package import SensorModel
import Sharing

/// Input that has arrived and is not processed. Where a finish is trimmed, time alone decides what
/// is shown once a wait is over; a position that arrived before must be processed first. Otherwise
/// viewers see other totals live than in the history.
extension SessionFlow {
    /// Notes what the rings hold; at the begin of a turn, and at its end.
    ///
    /// - Parameter since: Arrival of the oldest input that no turn has read; `nil`: all is read.
    package func noteUnread(since: Timestamp?) {
        unreadSince = since
        log.noteUnprocessed(since: unprocessedSince)
    }

    /// Arrival of the oldest input without records: unread, held for an earlier frame, or waiting
    /// for its session's rebuild.
    private var unprocessedSince: Timestamp? {
        let read = [sessions.waitsSince, table.heldSince].lazy.compactMap { $0 }.min()
        guard let unreadSince else { return read }
        return min(unreadSince, read ?? unreadSince)
    }

    /// The time up to which time alone may decide what is shown.
    var decidable: Timestamp {
        guard let unprocessedSince else { return now }
        return min(now, unprocessedSince.advanced(bySeconds: SessionProjection.lagSecondsMax))
    }
}
