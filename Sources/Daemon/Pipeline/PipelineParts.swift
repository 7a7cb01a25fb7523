import Ingest
import Logging
import SegmentLog
import SensorModel
import Transport

/// What the pipeline is made of; handed over once, at its start.
struct PipelineParts: Sendable {
    var log: SegmentLog
    var links: [LoopLink]
    var mailbox: PipelineMailbox
    var counters: PipelineCounters
    var accounts: Accounts
    var ingest: IngestSettings
    var silenceSeconds: Double
    /// Whether acknowledged means on disk, as the log is set.
    var isDurable: Bool
    var logger: Logger
    /// Reads a session back on another thread and posts the outcome; the offset is where to stop.
    var rebuild: @Sendable (SessionID, RecordOffset) -> Void
    /// Told of every new session, with the device time of its first frame.
    var began: @Sendable (SessionID, DeviceID, Timestamp) -> Void
    /// Told of every discrete event.
    var notice: @Sendable (StreamEvent, SessionID, DeviceID) -> Void
}
