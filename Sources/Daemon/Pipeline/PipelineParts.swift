import Ingest
import Logging
import SegmentLog
import SensorModel
import Sessions
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
    /// Readers of other services' interfaces.
    var heartRates: HeartRateHub
    /// Reads a session back on another thread and posts the outcome.
    var rebuild: @Sendable (SessionRebuilding) -> Void
    /// Told of every new session, with the device time of its first frame.
    var began: @Sendable (SessionID, DeviceID, Timestamp) -> Void
    /// Told how the sessions in memory change.
    var memory: @Sendable (SessionMemory) -> Void
    /// Told of every discrete event.
    var notice: @Sendable (StreamEvent, SessionID, DeviceID) -> Void
}
