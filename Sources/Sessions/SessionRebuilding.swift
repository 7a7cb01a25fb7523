package import Replay
package import SegmentLog
package import SensorModel
package import Sharing

/// What a session in memory asks of the log: its processors and its views as of an offset.
///
/// Made in a turn, with the settings of that turn; the answer counts only for the session that asked,
/// so that of two changes of the owner's the later one holds.
package struct SessionRebuilding: Hashable, Sendable {
    package let session: SessionID
    package let device: DeviceID
    /// The first offset not to read: records from there on wait in the session's backlog.
    package let end: RecordOffset
    /// Tells one asking from the next.
    package let number: UInt64
    package let privacy: PrivacySettings

    /// Reads the session. Blocks on the disk, which must have all before ``end``.
    ///
    /// - Throws: ``ReplayError``
    package func run(
        _ reader: LogReader, epoch: UInt32
    ) throws(ReplayError) -> (rebuilt: SessionRebuild, views: SessionViews) {
        var views = SessionViews(session: session, epoch: epoch, privacy: privacy)
        let rebuilt = try SessionRebuild.run(session, reader: reader, until: end) {
            event, offset, arrival in
            _ = views.take(event, at: offset, arrival: arrival)
        }
        return (rebuilt, views)
    }
}
