package import SegmentLog
package import SensorModel
package import Sharing

/// A request to read a session's processors and views from the log, as of an offset.
///
/// The ticket is made in a turn, with the settings of that turn. An answer counts only for the
/// session's latest ticket, so the later of two changes by the owner takes effect.
package struct RebuildTicket: Sendable {
    /// An answer to a ticket.
    package enum Part: Sendable {
        case whole(SessionRebuild, SessionViews)
        /// The records after those of an earlier answer, and the events that follow from them.
        /// There may be more records before ``end``.
        case rest(RebuildContinuation, events: [StreamEvent])
    }

    package let session: SessionID
    package let device: DeviceID
    /// The first offset that is not read: later records wait in the session's backlog.
    package let end: RecordOffset
    /// Distinguishes one request from the next.
    package let number: UInt64
    package let privacy: PrivacySettings
    /// The state at the end of an earlier answer; `nil`: the session is read from its beginning.
    package let continuation: RebuildContinuation?

    /// Reads the session. Blocks on the disk, which must contain everything before ``end``.
    ///
    /// - Parameters:
    ///   - reader: A reader beside the running writer.
    ///   - epoch: Epoch of the log.
    ///   - isCancelled: Checked between records.
    /// - Returns: `nil` when it was cancelled.
    /// - Throws: ``SessionReadError``
    package func run(
        _ reader: LogReader, epoch: UInt32, isCancelled: () -> Bool = { false }
    ) throws(SessionReadError) -> Part? {
        if var continuation {
            let events = try continuation.run(
                session, reader: reader, until: end, isCancelled: isCancelled)
            return events.map { .rest(continuation, events: $0) }
        }
        var views = SessionViews(session: session, epoch: epoch, privacy: privacy)
        let rebuilt = try SessionRebuild.run(
            session, reader: reader, until: end, isCancelled: isCancelled,
            marked: { views.note($0) }
        ) { event, offset, arrival in
            _ = views.take(event, at: offset, arrival: arrival)
        }
        return rebuilt.map { .whole($0, views) }
    }
}

extension RebuildTicket: Equatable {
    package static func == (one: Self, other: Self) -> Bool {
        one.session == other.session && one.number == other.number
    }
}
