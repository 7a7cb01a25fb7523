import Logging
import Replay
import SegmentLog
import SensorModel
import Sessions
import Sharing

/// Brings sessions of before a restart back into memory: reads on a background thread, hands the
/// outcome to the pipeline.
struct SessionRebuilder: Sendable {
    let log: SegmentLog
    let accounts: Accounts
    let mailbox: PipelineMailbox
    let background: BackgroundWork
    let logger: Logger

    /// - Parameters:
    ///   - session: In the log, and in the pipeline's memory without processors.
    ///   - end: The first offset whose record waits in the session's backlog.
    func rebuild(_ session: SessionID, until end: RecordOffset) {
        background.start {
            // Records that only memory holds would be missed.
            if end.rawValue > 0 {
                log.waitUntilWritten(through: RecordOffset(rawValue: end.rawValue - 1))
            }
            guard log.writtenEnd >= end || log.state == .closed else {
                return rebuild(session, until: end)
            }
            guard let summary = log.summary(of: session) else {
                mailbox.post { core in core.flow.giveUp(session) }
                return
            }
            var fields = SessionFields(
                session: session, epoch: log.epoch, privacy: accounts.privacy(of: summary.device))
            do {
                let rebuilt = try SessionRebuild.run(session, reader: log.reader(), until: end) {
                    event, offset in
                    _ = fields.take(event, at: offset)
                }
                let finished = fields
                mailbox.post { core in
                    core.flow.resume(session, from: rebuilt, until: end, fields: finished)
                }
            } catch {
                logger.error(
                    "a session cannot go on from the log: \(error)",
                    metadata: ["session": "\(session)"])
                mailbox.post { core in core.flow.giveUp(session) }
            }
        }
    }
}
