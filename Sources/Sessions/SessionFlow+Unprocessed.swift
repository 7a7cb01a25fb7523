import Ingest
import SegmentLog
package import SensorModel
import Sharing

/// Input that has arrived and is not processed. With a trimmed finish, time alone decides what is
/// shown once a wait is over, so a position that arrived earlier must be processed first. Otherwise
/// live viewers would see other totals than the history has.
extension SessionFlow {
    /// Notes the input in the rings; called at the beginning and the end of a turn.
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
