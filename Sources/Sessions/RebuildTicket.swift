package import SegmentLog
package import SensorModel
package import Sharing

/// A request to the log for a session in memory: its processors and its views as of an offset.
///
/// The ticket is made in a turn, with the settings of that turn. An answer counts only for the
/// session's latest ticket, so the later of two changes by the owner takes effect.
package struct RebuildTicket: Hashable, Sendable {
    package let session: SessionID
    package let device: DeviceID
    /// The first offset that is not read: later records wait in the session's backlog.
    package let end: RecordOffset
    /// Distinguishes one request from the next.
    package let number: UInt64
    package let privacy: PrivacySettings

    /// Reads the session. Blocks on the disk, which must contain everything before ``end``.
    ///
    /// - Throws: ``SessionReadError``
    package func run(
        _ reader: LogReader, epoch: UInt32
    ) throws(SessionReadError) -> (rebuilt: SessionRebuild, views: SessionViews) {
        var views = SessionViews(session: session, epoch: epoch, privacy: privacy)
        let rebuilt = try SessionRebuild.run(
            session, reader: reader, until: end, marked: { views.note($0) }
        ) { event, offset, arrival in
            _ = views.take(event, at: offset, arrival: arrival)
        }
        return (rebuilt, views)
    }
}
